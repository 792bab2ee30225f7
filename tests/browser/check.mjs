// Plays a whole game of each game in the page by clicks alone, solves puzzles, reads a book of openings, and checks the page on
// the way. Arguments: the address of the page and a folder for saved games; then --short for the beginnings of games, or the
// names of games to play, all if there are none.

import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import puppeteer from "puppeteer-core";

const require = createRequire(import.meta.url);
const AXE = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [address, folder, ...options] = process.argv.slice(2);
const isShort = options.includes("--short");
const only = options.filter((option) => option !== "--short");
const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };
const TALL = { width: 390, height: 844 };
/** Maximum number of clicks of a game. */
const MAX_CLICKS = 2000;
/** Number of clicks after which the history, analyses and files are tried. */
const CLICKS_BEFORE_TOOLS = isShort ? 4 : 8;

const saved = path.resolve(folder);
fs.mkdirSync(saved, { recursive: true });
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage();
const problems = [];
page.on("console", (message) => {
  if (["error", "warn"].includes(message.type())) problems.push(`console: ${message.text()}`);
});
page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
page.on("request", (request) => {
  const url = request.url();
  if (!url.startsWith(address) && !/^(blob|data):/.test(url)) problems.push(`foreign request: ${url}`);
});
const client = await page.createCDPSession();
await client.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: saved });

/** Waits until the page has opened what its address names. */
const open = async (url) => {
  await page.goto(url);
  await page.waitForSelector("html[data-ready]");
};

/** Waits until a person decides or the game is over, and returns the number of events. */
const settled = async () => {
  await page.waitForFunction(
    () => ["person", "entered_chance", "over"].includes(document.querySelector("#game").dataset.next),
    { timeout: 120_000 },
  );
  return page.$eval("#game", (game) => Number(game.dataset.events));
};
const isOver = () => page.$eval("#game", (game) => game.dataset.next === "over");
const eventsDiffer = (events) =>
  page.waitForFunction((events) => Number(document.querySelector("#game").dataset.events) !== events, {}, events);

/** Checks that nothing is cut off and that no controls overlap. */
const checkLayout = async (where) => {
  for (const viewport of [WIDE, PHONE]) {
    await page.setViewport(viewport);
    const found = await page.evaluate(() => {
      const problems = [];
      const width = document.documentElement.clientWidth;
      if (document.documentElement.scrollWidth > width) problems.push(`scrolls to ${document.documentElement.scrollWidth}`);
      const isVisible = (node) => node.checkVisibility() && node.getBoundingClientRect().width > 0;
      const isSkip = (node) => node.classList.contains("skip");
      const nodes = [...document.querySelectorAll("button, select, input, a, h1, h2, h3, p, li, svg.scene-area, label")];
      const shown = nodes.filter((node) => isVisible(node) && !isSkip(node));
      for (const node of shown) {
        const box = node.getBoundingClientRect();
        const inScroller = node.closest(".scroll, .actions");
        if (!inScroller && (box.left < -0.5 || box.right > width + 0.5)) problems.push(`outside: ${node.outerHTML.slice(0, 80)}`);
        if (node.matches("button") && node.scrollWidth > node.clientWidth + 1) problems.push(`cut off: ${node.textContent}`);
      }
      const scrolls = (node) => node.closest(".actions, #log, .status");
      const controls = shown.filter((node) => node.matches("button, select, input") && !scrolls(node));
      for (const [index, one] of controls.entries()) {
        const a = one.getBoundingClientRect();
        for (const other of controls.slice(index + 1)) {
          // On a phone the actions lie over what can be scrolled to.
          if (Boolean(one.closest("#dock")) !== Boolean(other.closest("#dock"))) continue;
          // What lies behind an open dialog cannot be reached.
          if (one.closest("dialog") !== other.closest("dialog")) continue;
          const b = other.getBoundingClientRect();
          const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
          const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
          if (x > 1 && y > 1) problems.push(`overlap: ${one.outerHTML.slice(0, 60)} and ${other.outerHTML.slice(0, 60)}`);
        }
      }
      // Texts of the drawings stay inside their drawing.
      for (const svg of document.querySelectorAll("svg.scene-area")) {
        const outer = svg.getBoundingClientRect();
        for (const text of svg.querySelectorAll("text")) {
          const box = text.getBoundingClientRect();
          if (box.right > outer.right + 1 || box.left < outer.left - 1) problems.push(`text outside its drawing: ${text.textContent}`);
        }
      }
      return problems;
    });
    assert.deepEqual(found, [], `${where} at ${viewport.width} px`);
  }
  await page.setViewport(WIDE);
};

/** Checks the rules of axe-core, in the light and in the dark scheme. */
const checkAccessibility = async (where) => {
  for (const value of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value }]);
    // The policy of the page forbids foreign scripts, but not those of the debugger.
    await page.evaluate(`${AXE}; undefined`);
    const found = await page.evaluate(async () => {
      const { violations } = await window.axe.run(document);
      return violations
        .filter(({ impact }) => ["serious", "critical"].includes(impact))
        .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
    });
    assert.deepEqual(found, [], `${where}, ${value}`);
  }
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
};

/** Clicks the middle of a legal cell of the board, or else a button of the list of actions. */
const clickAction = async (random, counts) => {
  const cells = await page.$$("#board .legal");
  if (cells.length > 0 && random() < 0.7) {
    const frame = await cells[Math.floor(random() * cells.length)].$(".scene-frame");
    await frame.scrollIntoView();
    const box = await frame.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    counts.board += 1;
    const choices = await page.$$("#chooser[open] #chooser-list button");
    if (choices.length > 0) {
      counts.lists += 1;
      await choices[Math.floor(random() * choices.length)].click();
    }
    return;
  }
  const buttons = await page.$$("#actions button");
  assert.ok(buttons.length > 0, "there is an action");
  await buttons[Math.floor(random() * buttons.length)].click();
  counts.buttons += 1;
};

const save = async () => {
  const before = new Set(fs.readdirSync(saved));
  await page.click("#save");
  for (let tries = 0; tries < 100; tries += 1) {
    const file = fs.readdirSync(saved).find((name) => name.endsWith(".jsonl") && !before.has(name));
    if (file) return path.join(saved, file);
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error("no file was saved");
};

/** Opens the start page with the form for a game, which is folded. */
const openForm = async () => {
  await open(address);
  await page.$eval("#choose", (details) => (details.open = true));
};

/** Opens files of this machine by the start page. */
const load = async (...files) => {
  await open(address);
  await page.$eval("#files", (details) => (details.open = true));
  await (await page.$("#file")).uploadFile(...files);
  await page.click("#load-game button[type=submit]");
};

const start = async (game, bots = ["random"], seed = 7) => {
  await openForm();
  await page.click(`input[value=${game}]`);
  await page.select("#players", String(1 + bots.length));
  await page.select("#seat-0", "human");
  for (const [index, bot] of bots.entries()) await page.select(`#seat-${index + 1}`, bot);
  await page.type("#seed", String(seed));
  await page.click("#new-game button[type=submit]");
  await page.waitForSelector("#game:not([hidden])");
  await page.select("#pace", "0");
};

/** Reviews the finished game: a point for each decision, a mistake with its position, and the game from there on. */
const reviewGame = async (game) => {
  const finished = page.url();
  await page.click("#review");
  await page.waitForSelector("#review-text .chances", { timeout: 30_000 });
  await page.waitForFunction(() => /By searches with 1000 iterations/.test(document.querySelector("#review-text p.soft").textContent), { timeout: 300_000 });
  const points = await page.$eval("#review-text polyline", (line) => line.getAttribute("points").split(" ").length);
  assert.ok(points > 5, `${points} points`);
  await checkLayout(`${game}, review`);
  await checkAccessibility(`${game}, review`);
  // The costliest mistakes of the person come back as lessons.
  await page.waitForFunction(() => (localStorage.getItem("watershed-repeat") ?? "").includes("watershed.lesson/1"), { timeout: 30_000 });
  const mistakes = await page.$$("#review-text .mistakes button");
  assert.ok(mistakes.length > 0, "a random player makes mistakes");
  await mistakes[0].click();
  await page.waitForFunction(() => document.querySelector("#past-mistake").textContent.includes("Better: "));
  await checkLayout(`${game}, mistake`);
  await page.click("#branch");
  await page.waitForSelector("#past", { hidden: true });
  await settled();
  assert.ok(!(await isOver()), "the game goes on from there");
  await page.evaluate(() => {
    const entries = JSON.parse(localStorage.getItem("watershed-repeat")).map((entry) => ({ ...entry, due: 0 }));
    localStorage.setItem("watershed-repeat", JSON.stringify(entries));
  });
  await open(`${address}?repeat=lesson`);
  assert.match(await page.$eval("#lesson-title", (node) => node.textContent), /^Your mistake in /);
  const task = await page.$eval("#lesson-task", (node) => node.textContent);
  assert.match(task, / cost \d+ points of your chance to win\. What is better\?$/);
  await settled();
  const labels = await page.$$eval("#actions button", (nodes) => nodes.map((node) => node.textContent));
  const again = labels.findIndex((label) => task.startsWith(`${label} cost `));
  await (await page.$$("#actions button"))[again].click();
  assert.match(await page.$eval("#lesson-verdict", (node) => node.textContent), /Try again\.$/);
  await page.evaluate(() => localStorage.removeItem("watershed-repeat"));
  await open(finished);
  await page.waitForSelector("#results:not([hidden])");
};

/** Returns the places of the boards on the page, which do not change during a game. */
const places = () =>
  page.$$eval("#board .scene-area", (areas) => {
    const { left, top } = document.querySelector("#board").getBoundingClientRect();
    return areas.map((area) => area.getBoundingClientRect()).map((box) => [box.left - left, box.top - top]);
  });

/** Checks that on a phone the first action is visible without scrolling, and the text of a hint after the click. */
const checkPhone = async (game) => {
  await page.setViewport(PHONE);
  const isVisible = (selector) =>
    page.$eval(selector, (node) => {
      const { left, top, bottom } = node.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight && node.contains(document.elementFromPoint(left + 5, (top + bottom) / 2));
    });
  // The page takes the new width after the browser has it.
  let isFirstVisible = false;
  for (let tries = 0; tries < 100 && !isFirstVisible; tries += 1) {
    await page.evaluate(() => scrollTo(0, 0));
    isFirstVisible = await isVisible("#actions button");
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.ok(isFirstVisible, `${game}: the first action is visible`);
  await page.click("#hint");
  await page.waitForSelector("#analysis li, #analysis p", { timeout: 120_000 });
  assert.ok(await isVisible("#analysis > *"), `${game}: the hint is visible`);
  await page.setViewport(WIDE);
};

const play = async (game) => {
  let number = 20_260_101;
  const random = () => {
    number = (number * 48_271) % 2_147_483_647;
    return number / 2_147_483_647;
  };
  const counts = { board: 0, lists: 0, buttons: 0 };
  await start(game);
  let events = await settled();
  await checkLayout(`${game}, first decision`);
  await checkAccessibility(`${game}, first decision`);
  assert.match(await page.$eval("#turn", (node) => node.textContent), /^Your turn: /);
  await checkPhone(game);
  const first = await places();
  let moved = 0;
  let hasUsedTools = false;
  for (let clicks = 1; !(await isOver()); clicks += 1) {
    assert.ok(clicks < MAX_CLICKS, "the game ends");
    await clickAction(random, counts);
    await eventsDiffer(events);
    const after = await settled();
    // A decision without a choice is not judged.
    if (!hasUsedTools && clicks >= CLICKS_BEFORE_TOOLS && (await page.$$("#actions button")).length > 1) {
      hasUsedTools = true;
      // Undo, and redo leads to the same position.
      const turn = await page.$eval("#heading", (node) => node.textContent);
      await page.click("#undo");
      await eventsDiffer(after);
      assert.equal(await settled(), events);
      await page.click("#redo");
      await eventsDiffer(events);
      assert.equal(await settled(), after);
      assert.equal(await page.$eval("#heading", (node) => node.textContent), turn);
      // A reload keeps the game.
      await page.reload();
      await page.waitForSelector("html[data-ready]");
      assert.equal(await settled(), after);
      await page.select("#pace", "0");
      // A hint names legal actions.
      await page.click("#hint");
      await page.waitForSelector("#analysis ol li", { timeout: 120_000 });
      const hint = await page.$eval("#analysis ol li", (node) => node.textContent);
      const labels = await page.$$eval("#actions button", (nodes) => nodes.map((node) => node.textContent));
      assert.ok(labels.some((label) => hint.startsWith(label)), hint);
      await checkLayout(`${game}, analysis`);
      // An earlier position, and back.
      await page.click("#back");
      await page.waitForSelector("#past:not([hidden])");
      await checkLayout(`${game}, earlier position`);
      await checkAccessibility(`${game}, earlier position`);
      await page.click("#now");
      await page.waitForSelector("#past", { hidden: true });
      // A saved game in progress can be loaded.
      const file = await save();
      await load(file);
      await page.waitForSelector("#game:not([hidden])");
      await page.select("#pace", "0");
      assert.equal(await settled(), after);
      // A link holds the game.
      await page.click("#link");
      await page.waitForFunction(() => location.hash.startsWith("#game="));
      const link = page.url();
      await page.goto("about:blank");
      await open(link);
      assert.equal(await settled(), after);
      await page.select("#pace", "0");
      // A decision is judged.
      await page.click("#learn");
      await page.click("#actions button");
      await page.waitForSelector("#analysis .judgement", { timeout: 120_000 });
      // While bots act, the page is laid out again, and a click could hit an action instead.
      const judged = await settled();
      await page.click("#learn");
      await page.click("#undo");
      await eventsDiffer(judged);
      assert.equal(await settled(), after);
      if (isShort) {
        console.log(`${game}: ${after} events; ${JSON.stringify(counts)}`);
        return;
      }
      fs.rmSync(file);
    }
    events = await settled();
    for (const [index, place] of (await places()).entries()) moved = Math.max(moved, ...place.map((value, axis) => Math.abs(value - first[index][axis])));
  }
  assert.ok(moved <= 2, `${game}: boards move by ${moved} px`);
  const begun = await page.$$eval("#log p", (nodes) => nodes.filter((node) => /^(Round|Day) \d+ begins/.test(node.textContent)).length);
  assert.ok(begun >= 4, `${game}: ${begun} rounds in the log`);
  await page.waitForSelector("#results:not([hidden])");
  await checkLayout(`${game}, results`);
  await checkAccessibility(`${game}, results`);
  assert.match(await page.$eval("#rated", (node) => node.textContent), /^This game is not rated: /);
  await reviewGame(game);
  const scores = await page.$eval("#scores", (node) => node.textContent);
  const file = await save();
  await load(file);
  await page.waitForSelector("#results:not([hidden])");
  assert.equal(await page.$eval("#scores", (node) => node.textContent), scores);
  assert.ok(counts.board > 0, "actions were chosen on the board");
  console.log(`${game}: ${events} events; ${JSON.stringify(counts)}`);
};

/** Does what the lessons of a game ask for, after a wrong action where there is one, and goes on to the next. */
const takeLessons = async (game) => {
  await open(`${address}?open=library/${game}-lessons.jsonl`);
  let wrong = 0;
  for (let lesson = 1; lesson <= 8; lesson += 1) {
    await page.waitForFunction((lesson) => document.querySelector("#lesson-title").textContent.includes(`(${lesson} of 8)`), {}, lesson);
    await settled();
    if (lesson === 1) {
      await checkLayout(`${game}, lesson`);
      await checkAccessibility(`${game}, lesson`);
    }
    const isCoached = /After each decision the search says/.test(await text("#lesson-task"));
    for (let action = 0; !isCoached || action < 5; action += 1) {
      const events = await settled();
      await page.$eval("#lesson-verdict", (node) => (node.textContent = ""));
      await page.$$eval("#actions button", (nodes, action) => nodes[action].click(), isCoached ? 0 : action);
      if (isCoached) {
        await eventsDiffer(events);
        continue;
      }
      await page.waitForFunction(() => /^Right\. |Try again\.$/.test(document.querySelector("#lesson-verdict").textContent));
      if ((await text("#lesson-verdict")).startsWith("Right. ")) break;
      assert.equal(await settled(), events, "a wrong action is not taken");
      wrong += 1;
    }
    assert.ok(isCoached ? await page.$("#lesson-next:not([hidden])") : (await text("#lesson-verdict")).startsWith("Right. "));
    // A real click could miss the button while bots act and the page is laid out again.
    await page.$eval("#lesson-next", (node) => node.click());
  }
  await page.waitForSelector("#lesson[hidden]");
  await settled();
  assert.ok(await page.$("#learn:checked"), "the first game is explained");
  console.log(`lessons of ${game}: ${wrong} wrong actions`);
};

/** Misses a puzzle, which comes back on the next day, and after a right answer three days later. */
const repeatPuzzle = async () => {
  await open(`${address}?open=library/glassworks-puzzles.jsonl.gz`);
  await page.evaluate(() => localStorage.removeItem("watershed-repeat"));
  const solution = async () => {
    await page.click("#puzzle-solution");
    await page.waitForSelector("#puzzle-actions .solution");
    return page.$eval("#puzzle-actions .solution", (node) => [...node.parentNode.children].indexOf(node));
  };
  const answer = async (index) => {
    await page.evaluate((index) => document.querySelectorAll("#puzzle-actions button")[index].click(), index);
    await page.waitForFunction(() => /(Right|Wrong)\./.test(document.querySelector("#puzzle-verdict").textContent));
  };
  const days = () => page.evaluate(() => JSON.parse(localStorage.getItem("watershed-repeat")).map(({ due }) => Math.round((due - Date.now()) / 86_400_000)));
  const makeDue = () => page.evaluate(() => localStorage.setItem("watershed-repeat", JSON.stringify(JSON.parse(localStorage.getItem("watershed-repeat")).map((entry) => ({ ...entry, due: 0 })))));
  // The solution that is shown counts as an answer that is not right.
  const right = await solution();
  assert.deepEqual(await days(), [1]);
  await open(address);
  assert.ok(await page.$("#due[hidden]"), "nothing is due today");
  await makeDue();
  await open(address);
  await page.click("#due-list a");
  await page.waitForSelector("#puzzles:not([hidden])");
  await answer(right);
  assert.deepEqual(await days(), [3]);
  await page.evaluate(() => localStorage.removeItem("watershed-repeat"));
  console.log("repetition: after 1 day, and after 3");
};

/** Plays without a network, if the page is the one without a server. */
const playOffline = async () => {
  await open(address);
  const isKept = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    return registration !== undefined && Boolean(await navigator.serviceWorker.ready);
  });
  if (!isKept) {
    return;
  }
  await page.setOfflineMode(true);
  await open(address);
  await page.click(".door button");
  await settled();
  await open(`${address}?open=library/the_river-lessons.jsonl`);
  await page.waitForSelector("#lesson:not([hidden])");
  await open(`${address}balance.html`);
  await page.waitForFunction(() => /games of each version/.test(document.querySelector("#progress").textContent));
  await page.setOfflineMode(false);
  console.log("offline: a game, a lesson and the workbench");
};

/** Chooses the mode of a game for two, which the log then begins with, and asks for a hint. */
const chooseMode = async () => {
  await openForm();
  await page.click("input[value=common_river]");
  await page.select("#players", "3");
  assert.ok(await page.$eval("#mode-row", (row) => row.hidden), "three players choose no mode");
  await page.select("#players", "2");
  await page.select("#mode", "coop");
  await checkLayout("start, mode");
  await page.click("#new-game button[type=submit]");
  await page.waitForSelector("#game:not([hidden])");
  await page.select("#pace", "0");
  await settled();
  assert.match(await page.$eval("#log li", (node) => node.textContent), /Mode: coop$/);
  await page.click("#hint");
  await page.waitForSelector("#analysis ol li", { timeout: 120_000 });
  const hint = await page.$eval("#analysis", (node) => node.textContent);
  assert.match(hint, /Chance of success: \d+ %\. .*mcts:iterations=2000/);
  console.log(`mode: ${hint.slice(0, 60)} …`);
};

/** Checks that hidden roles are neither in the storage nor in the answers, and that a stored game can be opened again. */
const keepSecrets = async () => {
  const answers = [];
  const listen = async (response) => {
    if (response.url().endsWith("/api")) answers.push(await response.text().catch(() => ""));
  };
  page.on("response", listen);
  await start("common_river", ["random", "random", "random"]);
  const events = await settled();
  await page.waitForFunction(() => Object.keys(localStorage).includes(`watershed:${new URLSearchParams(location.search).get("game")}`));
  const kept = await page.evaluate(() => Object.values(localStorage));
  page.off("response", listen);
  for (const content of [...answers, ...kept]) assert.doesNotMatch(content, /role:/);
  assert.ok(await page.$("#save-note:not([hidden])"), "the page says that files have everything");
  // Without the game in the application, the page opens its copy.
  const id = new URL(page.url()).searchParams.get("game");
  await page.evaluate((id) => localStorage.setItem("watershed:lost", localStorage.getItem(`watershed:${id}`)), id);
  await open(`${address}?game=lost`);
  assert.equal(await settled(), events);
  console.log("hidden roles: not in the storage");
};

/** Trains openings of the book that comes with the page, in two games. */
const trainOpenings = async () => {
  await open(`${address}?open=library/the_river-openings.json`);
  await page.waitForSelector("#books:not([hidden])");
  await page.click("#book-train");
  for (let game = 1; game <= 2; game += 1) {
    let verdicts = 0;
    for (let decision = 0; decision < 6 && verdicts < 2; decision += 1) {
      await page.waitForFunction(() => document.querySelector("#lesson-task").textContent !== "");
      await settled();
      const isKnown = /what is best here/.test(await text("#lesson-task"));
      const events = await page.$eval("#game", (node) => Number(node.dataset.events));
      await page.$eval("#lesson-verdict", (node) => (node.textContent = ""));
      await page.$eval("#lesson-task", (node) => (node.textContent = ""));
      await page.$eval("#actions button", (node) => node.click());
      if (isKnown) {
        await filled("#lesson-verdict");
        assert.match(await text("#lesson-verdict"), /^(The only|Best|Good|Inaccuracy|Mistake|Blunder|Not the best).* In the book, /);
        verdicts += 1;
      }
      await eventsDiffer(events);
    }
    assert.ok(verdicts > 0, "the book knows an opening");
    await page.waitForFunction(() => document.querySelector("#lesson-task").textContent !== "");
    if (game === 1) {
      await checkLayout("opening trainer");
      await checkAccessibility("opening trainer");
      const before = page.url();
      // The next opening is offered at any time after the last one that the book knows.
      while (await page.$("#lesson-next[hidden]")) {
        const events = await settled();
        await page.$eval("#lesson-task", (node) => (node.textContent = ""));
        await page.$eval("#actions button", (node) => node.click());
        await eventsDiffer(events);
        await page.waitForFunction(() => document.querySelector("#lesson-task").textContent !== "");
      }
      await page.$eval("#lesson-next", (node) => node.click());
      await page.waitForFunction((before) => location.href !== before, {}, before);
    }
  }
  console.log(`openings: ${await text("#lesson-verdict")}`);
};

/** Sets a position up by hand: a copy of one on the page with a change, and a wrong one. */
const setUpPosition = async () => {
  await start("glassworks");
  await settled();
  await page.click("#edit");
  await page.waitForSelector("#set-up[open]");
  await checkLayout("set up");
  await checkAccessibility("set up");
  const edit = (from, to) => page.$eval("#set-up-text", (node, from, to) => (node.value = node.value.replace(from, to)), from, to);
  await edit("seat:0\nsatchel:", "seat:0\nsatchel:nothing,");
  await page.click("#set-up button[type=submit]");
  await filled("#set-up-error");
  await edit("satchel:nothing,", "satchel:");
  await edit("round:1", "round:2");
  await page.click("#set-up button[type=submit]");
  await page.waitForFunction(() => location.hash.startsWith("#position="));
  assert.ok(await page.$("#save:disabled"), "it has no record");
  await page.click("#hint");
  await page.waitForFunction(() => document.querySelectorAll("#analysis li, #analysis tr").length > 1, { timeout: 60_000 });
  // The address is a link to the position.
  const link = page.url();
  await page.goto("about:blank");
  await open(link);
  await page.waitForSelector("#game:not([hidden])");
  assert.equal(await settled(), 0);
  await openForm();
  await page.click("#set-up-new");
  await page.waitForSelector("#set-up[open]");
  assert.match(await page.$eval("#set-up-text", (node) => node.value), /^the_river\/2\n/);
  console.log("position: set up by hand");
};

/** Taps parts of the board on a phone: a framed one acts, and others tell what they are, as all do that are held. */
const tellParts = async () => {
  await page.setViewport(PHONE);
  await start("the_river", ["random"]);
  const events = await settled();
  const place = async (selector) => {
    const part = await page.$(`#board ${selector}`);
    await part.scrollIntoView();
    // The dock would cover what is at the bottom.
    await part.evaluate((node) => scrollBy(0, node.getBoundingClientRect().top - 200));
    const { x, y } = await part.boundingBox();
    return [x + 12, y + 12];
  };
  const told = async () => {
    await page.waitForSelector("#chooser[open]");
    const text = await page.$eval("#chooser", (node) => node.textContent);
    const actions = await page.$$("#chooser-list button");
    await page.click("#chooser-close");
    return [text, actions.length];
  };
  await page.touchscreen.tap(...(await place("[data-cell^='place-']:not(.legal)")));
  const [text, none] = await told();
  assert.match(text, /No action here now/);
  assert.match(text, /place/);
  assert.equal(none, 0);
  await page.mouse.click(...(await place("[data-cell^='tile-'].legal")), { delay: 600 });
  const [offered, some] = await told();
  assert.match(offered, /Choose an action/);
  assert.equal(some, 1);
  assert.equal(await page.$eval("#game", (game) => Number(game.dataset.events)), events);
  await page.touchscreen.tap(...(await place("[data-cell^='tile-'].legal")));
  await eventsDiffer(events);
  await settled();
  await page.$eval("#rules-open", (node) => node.click());
  assert.equal(await page.$eval("#rules", (dialog) => dialog.scrollTop), 0, "the rules begin with the first");
  await page.click("#rules-close");
  await page.setViewport(WIDE);
  console.log("parts of the board: told");
};

/** Plays a whole game from the start page on: one click begins it, and its end is in view from everywhere. */
const meetOpponent = async () => {
  await page.setViewport(TALL);
  await open(address);
  await page.evaluate(() => localStorage.clear());
  await open(address);
  const lowest = await page.$$eval(".door li:nth-child(2) a", (links) => Math.max(...links.map((link) => link.getBoundingClientRect().bottom)));
  assert.ok(lowest <= 2 * TALL.height, `lessons and puzzles down to ${lowest}`);
  const button = await page.$(".door button");
  const [, name] = /^Play (\w+) \d+$/.exec(await button.evaluate((node) => node.textContent));
  await button.click();
  await page.waitForSelector("#game:not([hidden])");
  await page.select("#pace", "0");
  await settled();
  const hidden = await page.evaluate(() => {
    const [top, bottom] = [document.querySelector(".status").getBoundingClientRect().bottom, document.querySelector("#dock").getBoundingClientRect().top];
    const frames = [...document.querySelectorAll("#board .legal .scene-frame")].map((frame) => frame.getBoundingClientRect());
    return frames.filter((box) => box.top < top || box.bottom > bottom).length;
  });
  assert.equal(hidden, 0, "all framed places are in view");
  const decide = async () => {
    const events = await settled();
    await page.$eval("#actions button:last-child, #actions li:last-child button", (node) => node.click());
    await eventsDiffer(events);
    await settled();
  };
  while (!(await isOver())) await decide();
  for (const viewport of [{ width: 1280, height: 800 }, TALL, { width: 640, height: 400 }]) {
    await page.setViewport(viewport);
    const events = await settled();
    await page.$eval("#undo", (node) => node.click());
    await eventsDiffer(events);
    await settled();
    if (viewport.height === 400) {
      const board = await page.evaluate(() => {
        scrollTo(0, 0);
        return document.querySelector("#dock").getBoundingClientRect().top - document.querySelector("#board").getBoundingClientRect().top;
      });
      assert.ok(board >= 160, `${board} px of the board`);
    }
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    while (!(await isOver())) await decide();
    const { top, bottom, text, hasFocus } = await page.$eval("#winners", (node) => {
      const { top, bottom } = node.getBoundingClientRect();
      return { top, bottom, text: node.textContent, hasFocus: document.activeElement === node };
    });
    assert.ok(top >= 0 && bottom <= viewport.height, `the result is at ${top} to ${bottom} of ${viewport.height}`);
    assert.ok(text.includes(name) && hasFocus, text);
    assert.ok(await page.$eval("#scores", (table) => table.scrollWidth <= table.parentNode.clientWidth), "the scores are not cut");
  }
  await page.setViewport(WIDE);
  const text = await page.$eval("body", (body) => `${body.innerText} ${body.querySelector("#board").innerHTML}`);
  assert.doesNotMatch(text, /player 2/i);
  await checkLayout("end card");
  await checkAccessibility("end card");
  const result = await page.$eval("#winners", (node) => node.textContent);
  await open(address);
  const recent = await page.$eval("#recent-list", (list) => list.textContent);
  assert.ok(recent.includes(`The River: ${result[0].toLowerCase()}${result.slice(1, -1)}, `), recent);
  await checkLayout("start, with games");
  await page.evaluate(() => localStorage.clear());
  console.log(`opponent: ${result}`);
};

/** Plays the beginning of a game on two devices, one of which joins by a link. */
const playTogether = async () => {
  await start("the_river", ["human"]);
  await settled();
  if (await page.$eval("#results-link", (node) => node.hidden)) {
    assert.ok(await page.$eval("#invite", (node) => node.hidden), "without a server, nobody can be invited");
    return;
  }
  await page.click("#invite");
  await page.waitForSelector("#analysis input[readonly]");
  await checkLayout("invitation");
  await checkAccessibility("invitation");
  const link = await page.$eval("#analysis input[readonly]", (input) => input.value);
  await page.click("#analysis input[type=checkbox]");
  const areForbidden = () => document.querySelector("#hint").textContent === "No hints in this game";
  await page.waitForFunction(areForbidden);
  const device = await browser.createBrowserContext();
  const other = await device.newPage();
  other.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
  await other.goto(link);
  await other.waitForSelector("html[data-ready]");
  const next = (one) => one.$eval("#game", (node) => node.dataset.next);
  const events = (one) => one.$eval("#game", (node) => Number(node.dataset.events));
  for (const one of [page, other]) {
    await one.waitForFunction(areForbidden);
  }
  for (let decision = 0; decision < 6; decision += 1) {
    const deciding = (await next(page)) === "person" ? page : other;
    const waiting = deciding === page ? other : page;
    await waiting.waitForFunction(() => document.querySelector("#game").dataset.next === "other_person");
    assert.match(await deciding.$eval("#turn", (node) => node.textContent), /^Your turn/);
    assert.equal((await waiting.$$("#actions button")).length, 0);
    const before = await events(deciding);
    await deciding.$eval("#actions button", (node) => node.click());
    for (const one of [page, other]) {
      await one.waitForFunction((before) => {
        const { next, events } = document.querySelector("#game").dataset;
        return Number(events) > before && ["person", "other_person"].includes(next);
      }, {}, before);
    }
    assert.equal(await events(page), await events(other));
  }
  // The start page of the device that joined leads back to the game.
  const own = other.url();
  await other.goto(address);
  await other.waitForSelector("#continue a");
  await other.click("#continue a");
  await other.waitForSelector("#game:not([hidden])");
  assert.equal(other.url(), own);
  await device.close();
  console.log(`two devices: ${await events(page)} events`);
};

/** Passes all offers by one choice, until a bot offers something. */
const passOffers = async () => {
  await start("common_river", ["random"]);
  const canOffer = () => page.$eval("#actions", (list) => list.querySelector("[title^='offer:']") !== null);
  // Offers are shown for a moment before they are passed.
  const isAsked = () => !document.querySelector("#pass").checked || !document.querySelector("#actions [title^='offer:']");
  let passed = 0;
  for (let decision = 0; decision < 30 && !(await isOver()); decision += 1) {
    await page.waitForFunction(isAsked);
    const events = await settled();
    if (await canOffer()) {
      await page.click("#pass");
      passed += 1;
    } else {
      // None is there while offers are passed.
      await page.$$eval("#actions button", ([node]) => node?.click());
    }
    const differ = (before) => Number(document.querySelector("#game").dataset.events) !== before;
    await page.waitForFunction(differ, { timeout: 2000 }, events).catch(() => {});
  }
  assert.ok(passed > 0, "there are offers");
  console.log(`offers: passed ${passed} times`);
};

/** Opens a file of two games and goes to the second one, which takes the place of the first. */
const openSecondGame = async () => {
  const records = [];
  for (const seed of [1, 2]) {
    await start("glassworks", ["random"], seed);
    await settled();
    const file = await save();
    records.push(fs.readFileSync(file, "utf8"));
    fs.rmSync(file);
  }
  const file = path.join(saved, "two.txt");
  fs.writeFileSync(file, records.join(""));
  assert.ok(await page.$('#seat-1 optgroup option[value="balanced"]'), "all bots are offered");
  await load(file);
  await page.waitForSelector("#file-row:not([hidden])");
  const number = () => page.evaluate(() => new URLSearchParams(location.search).get("game"));
  const first = await number();
  await checkLayout("a game of a file");
  await page.$eval("#file-game", (input) => (input.value = "2"));
  await page.click("#file-row button");
  await page.waitForFunction(() => document.querySelector("#about").textContent.includes("Seed 2."));
  await page.waitForFunction((id) => localStorage.getItem(`watershed:${id}`) === null, {}, first);
  assert.ok(await page.$("#file-row:not([hidden])"), "the first game can be opened again");
  await start("glassworks");
  assert.ok(await page.$("#file-row[hidden]"), "a new game has no file");
  fs.rmSync(file);
  console.log("file of records: two games");
};

/** Answers the puzzle of the day, which stays answered, and is the same in another browser. */
const solveDaily = async () => {
  const daily = `${address}?daily=library/glassworks-puzzles.jsonl.gz`;
  await open(daily);
  const question = () => page.$eval("#puzzle-board", (board) => board.textContent);
  const first = await question();
  assert.match(await page.$eval("#puzzles-title", (node) => node.textContent), /puzzle of \d{4}-\d\d-\d\d$/);
  assert.ok(await page.$("#puzzle-daily[hidden]"), "no result before an answer");
  await page.click("#puzzle-actions button");
  await page.waitForSelector("#puzzle-daily:not([hidden])");
  const result = await page.$eval("#puzzle-daily-text", (node) => node.textContent);
  assert.match(result, /: (solved|not solved)\. The next one comes tomorrow\.$/);
  await checkLayout("puzzle of the day");
  await page.reload();
  await page.waitForSelector("#puzzle-daily:not([hidden])");
  assert.equal(await page.$eval("#puzzle-daily-text", (node) => node.textContent), result);
  const days = await page.evaluate(async () => {
    const { daysInARow } = await import("./daily.js");
    localStorage.clear();
    const yesterday = Math.floor(Date.now() / 86_400_000 - new Date().getTimezoneOffset() / 1440) - 1;
    localStorage.setItem("watershed-daily:x", JSON.stringify({ day: yesterday, isSolved: true, days: 4 }));
    return [daysInARow("x"), daysInARow("x", true), daysInARow("x", false), daysInARow("x")];
  });
  assert.deepEqual(days, [4, 5, 5, 5]);
  await page.evaluate(() => localStorage.clear());
  const other = await (await browser.createBrowserContext()).newPage();
  await other.goto(daily);
  await other.waitForSelector("html[data-ready]");
  assert.equal(await other.$eval("#puzzle-board", (board) => board.textContent), first);
  assert.ok(await other.$("#puzzle-daily[hidden]"), "nobody has answered there");
  await other.close();
  console.log(`daily: ${result}`);
};

/** Compares the ratings with the example of the paper on Glicko-2, and keeps, saves and takes over a rating. */
const rate = async () => {
  await open(address);
  // The puzzles that were solved are rated, too.
  await page.evaluate(() => localStorage.clear());
  const example = await page.evaluate(async () => {
    const { update } = await import("./rating.js");
    const results = [[1400, 30, 1], [1550, 100, 0], [1700, 300, 0]];
    return update({ rating: 1500, deviation: 200, volatility: 0.06 }, results.map(([rating, deviation, score]) => ({ rating, deviation, score })));
  });
  assert.ok(Math.abs(example.rating - 1464.06) < 0.01 && Math.abs(example.deviation - 151.52) < 0.01, JSON.stringify(example));
  assert.ok(Math.abs(example.volatility - 0.05999) < 1e-5, `${example.volatility}`);
  const added = await page.evaluate(async () => {
    const { addResult } = await import("./rating.js");
    const opponent = { name: "Heron", rating: 1676, deviation: 45 };
    for (let game = 0; game < 20; game += 1) addResult("the_river", `game${game}`, [{ ...opponent, score: game % 2 }]);
    return addResult("the_river", "game0", [{ ...opponent, score: 1 }]);
  });
  assert.equal(added, null, "a game counts once");
  await page.reload();
  await page.waitForSelector("#ratings:not([hidden])");
  const kept = await page.$eval("#standing", (node) => node.textContent);
  // As many wins as losses lead to the rating of the opponent.
  const [, value] = /^The River: (\d+) ± \d+ after 20 games$/.exec(kept);
  assert.ok(Math.abs(value - 1676) < 60, kept);
  await checkLayout("start, ratings");
  await page.click("#ratings-save");
  let file;
  for (let tries = 0; !file && tries < 100; tries += 1) {
    file = fs.readdirSync(saved).find((name) => name === "watershed-ratings.json");
    await new Promise((done) => setTimeout(done, 50));
  }
  await page.evaluate(() => localStorage.clear());
  await open(address);
  assert.ok(await page.$("#ratings[hidden]"));
  await load(path.join(saved, file));
  await page.waitForSelector("#ratings:not([hidden])");
  assert.equal(await page.$eval("#standing", (node) => node.textContent), kept);
  await page.evaluate(() => localStorage.clear());
  fs.rmSync(path.join(saved, file));
  console.log(`rating: ${kept}`);
};

/** Opens what a link of the start page names. */
const follow = async (path) => {
  await open(address);
  const link = await page.$(`#doors a[href="?open=${path}"]`);
  assert.ok(link, `a link to ${path}`);
  await Promise.all([page.waitForNavigation(), link.click()]);
  await page.waitForSelector("html[data-ready]");
};

const text = (selector) => page.$eval(selector, (node) => node.textContent);
const filled = (selector) =>
  page.waitForFunction((selector) => document.querySelector(selector).textContent !== "", {}, selector);

/** Answers a puzzle wrongly, reads the judgement and the solution, and answers it. */
const solve = async (game) => {
  await follow(`library/${game}-puzzles.jsonl.gz`);
  await checkLayout(`puzzle of ${game}`);
  await checkAccessibility(`puzzle of ${game}`);
  const answer = async (label) => {
    await page.evaluate((label) => {
      const buttons = [...document.querySelectorAll("#puzzle-actions button")];
      buttons.find((button) => button.textContent === label).click();
    }, label);
    await page.waitForFunction(
      (label) => document.querySelector("#puzzle-verdict").textContent.includes(label),
      {},
      label,
    );
    return text("#puzzle-verdict");
  };
  const labels = await page.$$eval("#puzzle-actions button", (nodes) => nodes.map((node) => node.textContent));
  // The first click is on the board, if an answer has a cell of its own.
  const spots = await page.$$("#puzzle-board .legal .scene-frame");
  assert.ok(spots.length > 0, "answers are marked on the board");
  await spots[0].scrollIntoView();
  const box = await spots[0].boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const choice = await page.$("#chooser[open] #chooser-list button");
  await choice?.click();
  await filled("#puzzle-verdict");
  const first = await text("#puzzle-verdict");
  assert.match(await text("#puzzle-score"), /Right\./.test(first) ? /^1 of 1 / : /^0 of 1 /);
  await page.click("#puzzle-solution");
  await page.waitForSelector("#puzzle-actions .solution");
  const solution = await page.$eval("#puzzle-actions .solution", (node) => node.textContent);
  assert.ok((await text("#puzzle-solution-text")).startsWith(`Solution: ${solution}`), solution);
  const wrong = labels.find((label) => label !== solution);
  assert.match(await answer(wrong), /(Wrong|Right)\. .*\.$/);
  assert.match(await answer(solution), /Right\./);
  await checkLayout(`solved puzzle of ${game}`);
  await checkAccessibility(`solved puzzle of ${game}`);
  await page.click("#puzzle-next");
  await page.waitForSelector('#puzzles[data-puzzle="1"]');
  assert.equal(await text("#puzzle-verdict"), "");
  console.log(`puzzle of ${game}: ${labels.length} answers`);
};

/** Reads the book that comes with the page, and two books side by side from files. */
const readBook = async () => {
  const book = "library/the_river-openings.json";
  await follow(book);
  await checkLayout("book");
  await checkAccessibility("book");
  const rows = () => page.$$eval("#book-table tbody tr", (nodes) => nodes.map((node) => node.textContent));
  const starters = await rows();
  assert.ok(starters.length > 1, "the book has starters");
  assert.match(await text("#book-advice"), /^By mcts:iterations=\d+, a search of .* as the first player, choose /);
  assert.match(starters[0], /[+−]\d+\.\d \[[+−]\d+\.\d, [+−]\d+\.\d\].*(good|playable|bad|too rare)$/);
  await page.$eval("#book-forks", (input) => {
    input.value = "1500";
    input.dispatchEvent(new Event("input"));
  });
  assert.ok((await rows()).length < starters.length, "more forks show fewer actions");
  await page.$eval("#book-forks", (input) => {
    input.value = "100";
    input.dispatchEvent(new Event("input"));
  });
  const decisions = await page.$$eval("#book-decision option", (nodes) => nodes.map((node) => node.value));
  await page.select("#book-decision", decisions[1]);
  const situations = await page.$$eval("#book-situation option", (nodes) => nodes.map((node) => node.value));
  assert.match(situations[1], /^after /);
  const all = await rows();
  await page.select("#book-situation", situations[1]);
  assert.notDeepEqual(await rows(), all);
  await checkLayout("book, a situation");

  const content = await page.evaluate(async (path) => (await fetch(path)).text(), book);
  const files = ["one.json", "two.json"].map((name) => path.join(saved, name));
  for (const file of files) fs.writeFileSync(file, content);
  await load(...files);
  await page.waitForSelector("#books:not([hidden])");
  const columns = await page.$$eval("#book-table thead th", (nodes) => nodes.length);
  assert.equal(columns, 7);
  await checkLayout("two books");
  await checkAccessibility("two books");
  // A file that is dropped on the page takes the place of what is shown.
  await page.evaluate((content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], "book.json"));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
  }, content);
  await page.waitForFunction(() => document.querySelectorAll("#book-table thead th").length === 6);
  for (const file of files) fs.rmSync(file);
  // A page is opened by the browser itself.
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(["<!DOCTYPE html>"], "report.html"));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
  });
  await filled("#error");
  assert.match(await text("#error"), /watershed serve --results/);
  console.log(`book: ${decisions.length} decisions, ${starters.length} starters`);
};

/** Searches for edits on the workbench: it can be cancelled, and a proposal is applied by a click. A page without a server shows the command. */
const findFix = async () => {
  const fill = (id, value) =>
    page.$eval(
      id,
      (node, value) => {
        node.value = value;
        node.dispatchEvent(new Event("input", { bubbles: true }));
      },
      value,
    );
  await page.click("#fix > summary");
  const row = "#targets .target";
  // All cards of a kind; a slider works by keyboard, says its value, and moves the other one where they would cross.
  await page.select(`${row} select`, "family.taken");
  await page.select(`${row} .component`, "tiles");
  assert.match(await text("#fix-command"), /\[family\."tiles"\]\ntaken = \[0\.2, 0\.9\]\n/);
  await page.focus(`${row} input[aria-label="at most"]`);
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.$eval(`${row} label:nth-of-type(2)`, (node) => node.textContent), "at most  91 % of offers");
  await page.keyboard.press("Home");
  assert.match(await text("#fix-command"), /taken = \[0, 0\.01\]\n/);
  await page.select(`${row} select`, "item.win_rate");
  await page.select(`${row} .component`, "w3c2s2");
  await page.select("#key-choice", "building.w3c2s2.points+=-2..2");
  assert.equal(await page.$eval("#fix-keys", (node) => node.value), "building.w3c2s2.points+=-2..2");
  assert.match(await text("#fix-command"), /\[item\."w3c2s2"\]\nwin_rate = \[0\.4, 0\.6\]\nEND\nwatershed balance search .* --keys 'building\.w3c2s2\.points\+=-2\.\.2'/);
  await checkLayout("find a fix");
  await checkAccessibility("find a fix");
  if (await page.$eval("#find-fix", (node) => node.hidden)) {
    assert.ok(await page.$eval("#fix-elsewhere", (node) => node.checkVisibility()));
    await page.click("#fix > summary");
    return;
  }
  await page.click("#find-fix");
  await page.waitForFunction(() => /games planned so far/.test(document.querySelector("#fix-progress").textContent));
  await page.click("#cancel-fix");
  await page.waitForFunction(() => document.querySelector("#fix-progress").textContent === "Cancelled.");
  await fill("#fix-games", "400");
  await fill("#fix-keys", "building.w3c2s2.points=9,30");
  const begun = performance.now();
  await page.click("#find-fix");
  await page.waitForSelector("#proposals button", { timeout: 60_000 });
  console.log(`workbench: a fix is found after ${Math.round(performance.now() - begun)} ms: ${await text("#proposals b")}`);
  await page.click("#proposals button");
  await page.waitForFunction(() => document.querySelector('input[data-key="building.w3c2s2.points"]').value !== "61");
  await page.click("#undo");
  await page.waitForFunction(() => document.querySelector('input[data-key="building.w3c2s2.points"]').value === "61");
  await page.click("#fix > summary");
};

/** Edits numbers on the workbench: what is planted is named, and nothing is lost. */
const editNumbers = async () => {
  const field = (key) => `input[data-key="${key}"]`;
  const points = field("building.w3c2s2.points");
  const row = 'tr[data-name="w3c2s2"]';
  const type = (key, value) =>
    page.$eval(
      field(key),
      (node, value) => {
        node.value = value;
        node.dispatchEvent(new Event("input", { bubbles: true }));
      },
      value,
    );
  const openTables = () => page.$$eval("#tables details", (nodes) => nodes.forEach((node) => (node.open = true)));
  /** Returns the number of games that were played, and the half-width of the first player's change. */
  const progress = async () => {
    const [, games, half] = (await text("#progress")).match(/([\d,]+) games.*?(?:± ([\d.]+)|$)/);
    return [Number(games.replace(",", "")), Number(half)];
  };
  await open(`${address}balance.html`);
  await page.waitForSelector(points);
  await openTables();
  const begun = performance.now();
  await type("building.w3c2s2.points", "60");
  await page.waitForSelector(`${row}.changed-row .edited`, { timeout: 30_000 });
  console.log(`workbench: the edited building is named after ${Math.round(performance.now() - begun)} ms`);
  const [games, half] = await progress();
  await page.waitForFunction((games) => Number(document.querySelector("#progress").textContent.match(/[\d,]+/)[0].replace(",", "")) > 2 * games, {}, games);
  assert.ok((await progress())[1] < half, "the interval narrows");
  const file = await page.$eval("#changes li", (node) => node.firstChild.textContent);
  assert.equal(file, "building.w3c2s2.points: 9 → 60");

  // Worth by forks: first of the edited building, then of the others, which the picture shows.
  const worth = `${row} td[data-title="worth"]`;
  await page.waitForFunction((cell) => /→ [−\d]+ ± \d/.test(document.querySelector(cell).textContent), { timeout: 120_000 }, worth);
  console.log(`workbench: its worth is known after ${Math.round(performance.now() - begun)} ms: ${await text(worth)}`);
  await page.waitForSelector(`${worth}.changed-value`, { timeout: 120_000 });

  // The next edit begins anew; a wrong value is named at its field, and is not played.
  await type("building.w3c2s2.points", "-5");
  await page.waitForSelector(".refused .refusal");
  assert.match(await text(".refusal"), /expected an integer from/);
  await type("building.w3c2s2.points", "61");
  await page.waitForFunction(() => !document.querySelector(".refused") && /^Playing/.test(document.querySelector("#progress").textContent));
  await page.click("#stop");
  await checkLayout("workbench");
  await checkAccessibility("workbench");

  // The panel plays, each bot in a row of its own, until it is cancelled.
  await page.click("#check");
  await page.waitForFunction(() => /^mcts:iterations=50\d+[\d.]+ → /.test(document.querySelector("#panel tbody tr:nth-child(3)")?.textContent), { timeout: 60_000 });
  assert.match(await text("#checked"), /^The panel plays: \d+ % of its games\.$/);
  await checkLayout("workbench, panel");
  await checkAccessibility("workbench, panel");
  await page.click("#check");
  await page.waitForFunction(() => /^Cancelled\. .*\d of \d differences/.test(document.querySelector("#checked").textContent));
  assert.equal(await text("#check"), "Check with search");
  await findFix();

  // A version is kept, edits are undone and made again, and all of it outlives the page.
  page.once("dialog", (dialog) => dialog.accept("Sixty-one"));
  await page.click("#keep");
  await page.waitForFunction(() => /Sixty-one/.test(document.querySelector("#versions").textContent));
  await page.click("#undo");
  await page.waitForFunction(() => !document.querySelector("label.edited"));
  await page.click("#redo");
  await page.waitForSelector("label.edited");
  await open(`${address}balance.html`);
  await page.waitForSelector("label.edited");
  assert.equal(await page.$eval(points, (node) => node.value), "61");
  assert.match(await text("#versions"), /Sixty-one/);
  await page.select("#baseline", "0");
  await page.waitForFunction(() => /games of each version/.test(document.querySelector("#progress").textContent));
  await page.click("#download");
  const saves = () => fs.existsSync(path.join(saved, "mine.toml"));
  for (let tries = 0; tries < 100 && !saves(); tries += 1) await new Promise((done) => setTimeout(done, 50));
  assert.match(fs.readFileSync(path.join(saved, "mine.toml"), "utf8"), /points = 61/);

  // A row edits a whole family.
  await page.click("#undo").catch(() => {});
  await page.click('button[aria-label="Buildings: points plus 1 for all"]');
  await page.waitForFunction(() => document.querySelectorAll("label.edited").length > 30);
};

/** Copies and removes components, plays the version and comes back, and compares kept versions, in the browser and in a file. */
const changeComponents = async () => {
  const row = (name) => `#tables tr[data-name="${name}"]`;
  const button = (name, words) => `${row(name)} button[aria-label^="${words}"]`;
  const press = (selector) => page.$eval(selector, (node) => node.click());
  const set = (selector, value) =>
    page.$eval(
      selector,
      (node, value) => {
        node.value = value;
        node.dispatchEvent(new Event("input", { bubbles: true }));
      },
      value,
    );
  const has = (selector, words) =>
    page.waitForFunction((selector, words) => document.querySelector(selector)?.textContent.includes(words), { timeout: 30_000 }, selector, words);
  const keep = async (name) => {
    page.once("dialog", (dialog) => dialog.accept(name));
    await press("#keep");
    await has("#versions", name);
  };
  await open(`${address}balance.html`);
  await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("workbench")).forEach((key) => localStorage.removeItem(key)));
  await open(`${address}balance.html`);
  await page.waitForSelector(row("w2c1"));
  await press(button("w2c1", "Copy"));
  await page.waitForSelector(row("w2c1_2"));
  await set(`${row("w2c1_2")} input[data-key$=".points"]`, "9");
  // The copy has figures of its own, which the game without it does not have.
  await has(`${row("w2c1_2")} td:nth-child(4)`, "– →");
  await press(button("w2", "Remove"));
  await has("#changes", "building.w2: removed");
  assert.equal(await page.$(row("w2")), null);
  await press("#undo");
  await page.waitForSelector(row("w2"));
  await press("#redo");
  await page.waitForFunction((row) => !document.querySelector(row), {}, row("w2"));
  await press('#changes button[aria-label*="building.w2: removed"]');
  await page.waitForSelector(row("w2"));
  // What the rules do not accept is refused at the row.
  for (let copies = 0; copies < 9 && !(await page.$(`${row("desert_store2")} .refusal`)); copies += 1) {
    const before = await page.$$eval("#tables tr, .refusal", (rows) => rows.length);
    await press(button("desert_store2", "Copy"));
    await page.waitForFunction((before) => document.querySelectorAll("#tables tr, .refusal").length > before, {}, before);
  }
  assert.match(await page.$eval(`${row("desert_store2")} .refusal`, (node) => node.textContent), /^ Not copied: tile: expected 1 to 31 entries, found 32/);
  assert.ok(await page.$eval("#play", (node) => node.disabled), "a refused version is not played");
  await checkLayout("workbench, components");
  await checkAccessibility("workbench, components");
  const shown = () => page.$$eval("#changes button, .refusal", (nodes) => nodes.length);
  for (let edits = await shown(); edits > 1; edits = await shown()) {
    await press("#undo");
    await page.waitForFunction((edits) => document.querySelectorAll("#changes button, .refusal").length !== edits, {}, edits);
  }

  // The version is played, survives a reload there, and is back here.
  await has("#play", "Otter");
  await press("#play");
  await page.waitForSelector("#edited:not([hidden])");
  const begun = await settled();
  assert.match(await text("#edited"), /building\.w2c1_2: added/);
  await clickAction(() => 0.5, { board: 0, lists: 0, buttons: 0 });
  await eventsDiffer(begun);
  const events = await settled();
  await open(page.url());
  assert.equal(await settled(), events, "the game goes on after a reload");
  await page.click("#workbench");
  await page.waitForSelector(`${row("w2c1_2")} .edited`);

  // Two pages at once keep versions in the same list.
  await keep("With a copy");
  const other = await browser.newPage();
  await other.goto(`${address}balance.html`);
  await other.waitForSelector("html[data-ready]");
  other.once("dialog", (dialog) => dialog.accept("Of the other page"));
  await other.$eval("#keep", (node) => node.click());
  await other.waitForFunction(() => /Of the other page/.test(document.querySelector("#versions").textContent));
  await other.close();
  await set('input[data-key="building.w3.points"]', "8");
  await has("#changes", "building.w3.points: 3 → 8");
  await keep("With a change");
  assert.deepEqual(await page.$$eval("#versions b", (nodes) => nodes.map((node) => node.textContent)), ["With a copy", "Of the other page", "With a change"]);
  await page.select("#left", "1");
  const beside = () => page.$$eval("#beside-table tr", (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const edits = (await beside()).at(-1);
  assert.ok(!edits[1].includes("building.w3.points") && edits[2].includes("building.w3.points: 3 → 8"), `${edits}`);
  assert.equal((await beside()).length, 7);
  const file = path.join(saved, "watershed-versions.json");
  await press("#versions-save");
  for (let tries = 0; tries < 100 && !fs.existsSync(file); tries += 1) await new Promise((done) => setTimeout(done, 50));
  await press('#versions button[aria-label="Remove: With a copy"]');
  await page.waitForFunction(() => !/With a copy/.test(document.querySelector("#versions").textContent));
  await (await page.$("#file")).uploadFile(file);
  await has("#versions", "With a copy");
  assert.equal((await page.$$("#versions b")).length, 3, "only what is missing is added");
  fs.writeFileSync(file, '{"versions": 3}');
  await (await page.$("#file")).uploadFile(file);
  await has("#error", "Expected a file of kept versions");

  // A table of a spreadsheet; the page without a server names the command that reads it.
  const isServer = await page.evaluate(async () => (await fetch("transport.js")).text().then((text) => text.includes("watershed serve")));
  const table = path.join(saved, "building.csv");
  const points = await page.$$eval('#tables input[data-key^="building."][data-key$=".points"]', (inputs) => inputs.map(({ dataset, value }) => [dataset.key.split(".")[1], value]));
  fs.writeFileSync(table, `Our cards\nid;points;owner\n${points.map(([id, value]) => `${id};${id === "c2" ? 6 : value};me\n`).join("")}`);
  await (await page.$("#file")).uploadFile(table);
  if (isServer) {
    await has("#changes", "building.c2.points: 2 → 6");
    assert.match(await text("#point"), /not read: `owner`/);
    await press("#undo");
    await page.waitForFunction(() => !document.querySelector("#changes").textContent.includes("building.c2.points"));
  } else {
    await has("#error", "the command `data import` does");
  }

  // A field is dragged by its name.
  const named = await page.$('label.value:has(input[data-key="building.w3.points"])');
  await named.scrollIntoView();
  const { x, y } = await named.boundingBox();
  await page.mouse.move(x + 4, y + 5);
  await page.mouse.down();
  await page.mouse.move(x + 20, y + 5, { steps: 3 });
  await page.mouse.up();
  assert.equal(await page.$eval('input[data-key="building.w3.points"]', (input) => input.value), "10");

  // A click in the price curve finds the row.
  await press("#picture-switch");
  assert.ok(await page.$("#picture .edited .arrow"), "an edited building has an arrow");
  await page.$eval("#picture circle:not(.was)", (dot) => dot.dispatchEvent(new MouseEvent("click", { bubbles: true })));
  await page.waitForSelector("tr.found");
  await checkLayout("workbench, versions");
  await checkAccessibility("workbench, versions");

  // Without a server, an edit says so, and the next one plays again.
  if (isServer) {
    await page.setOfflineMode(true);
    await set('input[data-key="building.w3.points"]', "9");
    await has("#error", "server does not answer");
    await page.setOfflineMode(false);
    problems.splice(0, problems.length, ...problems.filter((problem) => !/ERR_INTERNET_DISCONNECTED/.test(problem)));
    await set('input[data-key="building.w3.points"]', "7");
    await page.waitForFunction(() => document.querySelector("#error").textContent === "" && /games of each version/.test(document.querySelector("#progress").textContent));
  }
  console.log("workbench: components, a game, versions, prices");
};

/** Checks what the first page weighs that a server sends; the page without one loads the program itself. */
const weigh = async () => {
  const { bytes, paint, hasProgram } = await page.evaluate(() => {
    const resources = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
    return {
      bytes: resources.reduce((sum, { transferSize }) => sum + transferSize, 0),
      paint: Math.round(performance.getEntriesByName("first-contentful-paint")[0].startTime),
      hasProgram: resources.some(({ name }) => name.endsWith(".wasm")),
    };
  });
  if (!hasProgram) assert.ok(bytes > 0 && bytes <= 150_000, `${bytes} bytes`);
  console.log(`first page: ${bytes} bytes, painted after ${paint} ms`);
};

try {
  await page.setViewport(WIDE);
  await open(address);
  await weigh();
  await checkLayout("start");
  await checkAccessibility("start");
  const games = await page.$$eval("input[name=game]", (nodes) => nodes.map((node) => node.value));
  for (const game of games.filter((name) => only.length === 0 || only.includes(name))) {
    await play(game);
    await solve(game);
    await takeLessons(game);
  }
  await meetOpponent();
  await repeatPuzzle();
  await rate();
  await solveDaily();
  await playOffline();
  await chooseMode();
  await keepSecrets();
  await openSecondGame();
  await tellParts();
  await playTogether();
  await passOffers();
  await setUpPosition();
  await trainOpenings();
  await readBook();
  await editNumbers();
  await changeComponents();
  assert.deepEqual(problems, []);
} catch (error) {
  await page.screenshot({ path: path.join(saved, "failure.png"), fullPage: true }).catch(() => {});
  console.error(problems.join("\n"));
  throw error;
} finally {
  await browser.close();
}
