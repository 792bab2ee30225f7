# An image with the program for any x86-64 processor. It is not built by the checks of this repository.
#   docker build --tag watershed .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" watershed simulate --players 3
#   docker run --rm --publish 127.0.0.1:8080:8080 watershed serve --address 0.0.0.0 --port 8080
FROM rust:1.95.0-slim-bookworm@sha256:d7482085ff5b415f84dba5647ae71606650bdef00db7aeb69f4b3d170c3e4082 AS build
WORKDIR /source
COPY . .
RUN RUSTFLAGS='-C target-cpu=x86-64' cargo build --profile dist --locked --features serve

FROM debian:12.11-slim@sha256:b1a741487078b369e78119849663d7f1a5341ef2768798f7b7406c4240f86aef
COPY --from=build /source/target/dist/watershed /usr/local/bin/watershed
COPY LICENSE-APACHE LICENSE-MIT /usr/share/doc/watershed/
# Not root: a mounted folder is written as the user of --user, by default 1000.
RUN install --directory --owner=1000 --group=1000 /work
WORKDIR /work
USER 1000:1000
ENTRYPOINT ["watershed"]
