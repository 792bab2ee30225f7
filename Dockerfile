# An image with the program for any x86-64 processor. It is not built by the checks of this repository.
#   docker build --tag watershed .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" watershed simulate --players 3
#   docker run --rm --publish 127.0.0.1:8080:8080 watershed serve --address 0.0.0.0 --port 8080
FROM rust:1.95.0-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN RUSTFLAGS='-C target-cpu=x86-64' cargo build --profile dist --locked --features serve

FROM debian:12.11-slim
COPY --from=build /source/target/dist/watershed /usr/local/bin/watershed
COPY LICENSE-APACHE LICENSE-MIT /usr/share/doc/watershed/
# Not root: a mounted folder is written as the user of --user, by default 1000.
RUN install --directory --owner=1000 --group=1000 /work
WORKDIR /work
USER 1000:1000
ENTRYPOINT ["watershed"]
