# The generations of a training: shards play the games of one, a machine learns from all of them, and the next one begins.

GENERATIONS = int(config.get("generations", 6))
TRAIN = f"{WATERSHED} train {RUN} --out $folder/network.toml --work $folder/work --quiet --resume --force"


# The network of a generation and everything that the next one needs.
rule generation:
    input:
        expand(SHARD_DIR + "/games-{{generation}}-{index}.tar", index=range(1, SHARDS + 1)),
        lambda wildcards: before(wildcards.generation),
    output:
        SHARD_DIR + "/generation-{generation}.tar",
    threads: workflow.cores if workflow.cores else 1
    shell:
        """
        folder=$(mktemp -d)
        trap 'rm -rf "$folder"' EXIT
        for archive in {input}; do tar -xf "$archive" -C "$folder"; done
        {TRAIN} --generations {wildcards.generation} --threads {threads} > /dev/null
        tar -cf {output} -C "$folder" .
        """


# The games of a shard.
rule games:
    input:
        lambda wildcards: before(wildcards.generation),
    output:
        SHARD_DIR + "/games-{generation}-{index}.tar",
    threads: 1
    retries: 2
    shell:
        """
        folder=$(mktemp -d)
        trap 'rm -rf "$folder"' EXIT
        for archive in {input}; do tar -xf "$archive" -C "$folder"; done
        touch "$folder/before"
        {TRAIN} --generations {wildcards.generation} --shard {wildcards.index}/{SHARDS} --threads {threads} > /dev/null
        (cd "$folder" && find work -name 'games-*' -newer before) | tar -cf {output} -C "$folder" -T -
        """


rule network:
    input:
        SHARD_DIR + f"/generation-{GENERATIONS}.tar",
    output:
        directory(OUT),
    shell:
        "mkdir -p {output} && tar -xf {input} -C {output}"


def before(generation):
    """Returns the archive of the generation before; the first generation has none."""
    return [SHARD_DIR + f"/generation-{int(generation) - 1}.tar"] if int(generation) > 0 else []
