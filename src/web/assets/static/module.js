// The module: a function from requests to answers, both JSON.

/** Compiles the module and returns its function. Identifiers of games follow from the secret. */
export async function load(bytes, secret) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const { memory, allocate, start, answer, answer_length } = instance.exports;
  const write = (content) => {
    const address = allocate(content.length);
    new Uint8Array(memory.buffer, address, content.length).set(content);
  };
  write(secret);
  start();
  return (request) => {
    write(new TextEncoder().encode(request));
    const address = answer();
    return new TextDecoder().decode(new Uint8Array(memory.buffer, address, answer_length()));
  };
}
