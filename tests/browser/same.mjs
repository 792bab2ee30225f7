// Plays the same games by the module for WebAssembly and by the server, compares all answers, and prints the times of the bots.
// Arguments: the address of the server and the folder of the static page.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [address, site] = process.argv.slice(2);
/** Number of decisions of the person in each game. */
const DECISIONS = 12;
const SEARCHES = ["mcts:iterations=250", "mcts:iterations=1000"];

const { load } = await import(pathToFileURL(path.resolve(site, "module.js")));
const callModule = await load(fs.readFileSync(path.join(site, "watershed.wasm")), new Uint8Array(32));
const module = async (request) => callModule(JSON.stringify(request));
const server = async (request) => {
  const body = JSON.stringify(request);
  const response = await fetch(`${address}api`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  assert.equal(response.status, 200);
  return response.text();
};

/**
 * Compares two answers: texts and whole numbers are equal, and win chances differ by rounding at most, because the
 * exponential function of each platform rounds on its own.
 */
const compare = (own, native, where) => {
  if (typeof own === "number" && typeof native === "number" && !(Number.isInteger(own) && Number.isInteger(native))) {
    assert.ok(Math.abs(own - native) <= 1e-12, `${where}: ${own}, native ${native}`);
  } else if (own !== null && native !== null && typeof own === "object" && typeof native === "object") {
    assert.deepEqual(Object.keys(own), Object.keys(native), where);
    for (const key of Object.keys(own)) compare(own[key], native[key], `${where}.${key}`);
  } else {
    assert.ok(own === native, `${where}: ${String(own).slice(0, 200)}, native ${String(native).slice(0, 200)}`);
  }
};

/** Plays a game and returns all answers without identifiers, and the time of the bot in milliseconds. */
const play = async (call, game, bot, isWhole) => {
  const answers = [];
  const ask = async (request) => {
    const answer = JSON.parse(await call(request));
    assert.ok(!answer.error, JSON.stringify(answer));
    if (answer.view) {
      const { id, ...rest } = answer.view;
      answers.push(rest);
      return answer.view;
    }
    answers.push(answer);
    return answer;
  };
  let view = await ask({ request: "new", game, players: 2, seats: ["human", bot], seed: 11 });
  const { id } = view;
  let [time, moves, longest] = [0, 0, 0];
  for (let decisions = 0; view.next !== "over" && (isWhole || decisions < DECISIONS); ) {
    const events = view.events;
    if (view.next === "person") {
      decisions += 1;
      if (decisions === 5) {
        await ask({ request: "hint", id });
      }
      view = await ask({ request: "act", id, action: view.actions[(decisions * 7) % view.actions.length].action, events, pending: view.pending });
    } else {
      const isBot = view.next === "bot";
      const start = performance.now();
      view = await ask({ request: "step", id, events });
      if (isBot) {
        const taken = performance.now() - start;
        time += taken;
        moves += 1;
        longest = Math.max(longest, taken);
      }
    }
  }
  await ask({ request: "save", id });
  await ask({ request: "store", id });
  await ask({ request: "close", id });
  return { answers, time, moves, longest };
};

for (const { id: game, players } of JSON.parse(await server({ request: "games" })).games) {
  const { bots } = players.find((entry) => entry.players === 2);
  const others = bots.map(({ name }) => name).filter((name) => !name.startsWith("mcts"));
  assert.ok(others.some((name) => name !== "random"), `${game} has a learned bot`);
  for (const bot of [...others, ...SEARCHES]) {
    const isWhole = others.includes(bot);
    const native = await play(server, game, bot, isWhole);
    const own = await play(module, game, bot, isWhole);
    compare(own.answers, native.answers, `${game}, ${bot}`);
    const times = [native, own].map(({ time, moves }) => (time / moves).toFixed(1));
    const longest = [native, own].map((one) => one.longest.toFixed(0));
    console.log(
      `${game}, ${bot}: ${own.answers.length} equal answers; ${own.moves} decisions of the bot: ` +
        `mean ${times[0]} ms native, ${times[1]} ms WebAssembly (${(own.time / native.time).toFixed(2)}); ` +
        `longest ${longest[0]} and ${longest[1]} ms`,
    );
  }
}
