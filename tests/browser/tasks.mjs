// Does tasks of a designer on the workbench by clicks, and prints the time and the clicks of each as rows of a table. The argument is
// the address of the page. A task ends when the answer is on the page, of 200 games of each version at least.

import puppeteer from "puppeteer-core";

const [address] = process.argv.slice(2);
const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage();
await page.setViewport({ width: 1280, height: 900 });
await page.evaluateOnNewDocument(() => {
  window.longest = 0;
  new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (window.longest = Math.max(window.longest, duration)))).observe({ type: "longtask" });
});
let [clicks, fields] = [0, 0];

/** Clicks an element, and opens its table before, if it is closed. */
const click = async (selector) => {
  await openTable(selector);
  clicks += 1;
  await page.click(selector);
};
const openTable = async (selector) => {
  await page.waitForSelector(selector);
  const isClosed = await page.$eval(selector, (node) => {
    const table = node.closest("details:not([open])");
    document.querySelectorAll("[data-asked]").forEach((other) => delete other.dataset.asked);
    if (table) table.dataset.asked = "";
    return Boolean(table);
  });
  if (!isClosed) return;
  clicks += 1;
  await page.click("details[data-asked] summary");
};
const type = async (key, value) => {
  const field = `input[data-key="${key}"]`;
  await openTable(field);
  await page.click(field, { clickCount: 3 });
  await page.keyboard.type(String(value));
  fields += 1;
};
const choose = async (selector, value) => {
  clicks += 2;
  await page.select(selector, value);
};
const isKnown = () => page.waitForFunction(() => Number(/[\d,]+/.exec(document.querySelector("#progress").textContent)?.[0].replace(",", "")) >= 200, { timeout: 150_000 });
const figure = (index) => page.$eval(`#figures li:nth-child(${index}) b`, (node) => node.textContent);
const cells = async (row) => {
  const selector = `#tables tr[data-name="${row}"]`;
  await page.waitForFunction((selector) => document.querySelector(selector)?.cells[4].textContent, {}, selector);
  return page.$eval(selector, ({ cells }) => `taken ${cells[3].textContent} %, owners win ${cells[4].textContent} %`);
};

const tasks = {
  "1 all meadows +1": async () => {
    await click('button[aria-label="Tiles: effect.points plus 1 for all"]');
    await isKnown();
    return `${await figure(4)}; first player ${await figure(1)}`;
  },
  "2 five buildings and two tiles of a table": async () => {
    for (const [index, name] of ["w2", "c3", "w2c1", "c2s2", "w3c2s2"].entries()) await type(`building.${name}.points`, 3 + index);
    for (const name of ["desert_store2", "meadow_swap"]) await type(`tile.${name}.copies`, 3);
    await isKnown();
    return `${(await page.$$("#changes li")).length} edits; first player ${await figure(1)}`;
  },
  "3 four players, 20 % shorter": async () => {
    await choose("#players", "4");
    await type("setup.4.bonus_spots", 4);
    await isKnown();
    return `length ${await figure(3)}`;
  },
  "4 house rule: two pawns at the first player's place": async () => {
    await type("spots.first_player", 2);
    await isKnown();
    return `first player ${await figure(1)}`;
  },
  "6 does the catch-up work (flat tokens)": async () => {
    for (const [index, value] of [3, 3, 3, 3, 3, 3].entries()) await type(`setup.2.bonus_tokens.${index}`, value);
    await isKnown();
    return `leader at half time ${await figure(2)}`;
  },
  "7 the third of four players complains": async () => {
    await choose("#players", "4");
    await type("setup.4.start.2.points", 2);
    await isKnown();
    return page.$eval("#figures li", (tile) => tile.lastChild.textContent);
  },
  "9 price curve": async () => {
    await click("#picture-switch");
    return `${await page.$$eval("#picture circle", (dots) => dots.length)} buildings by cost and points`;
  },
  "11 Glassworks, yellow nearly gone": async () => {
    await choose("#bench-game", "glassworks");
    await page.waitForSelector('input[data-key="color.yellow.pieces.0"]');
    for (let shape = 0; shape < 6; shape += 1) await type(`color.yellow.pieces.${shape}`, shape < 3 ? 1 : 0);
    await isKnown();
    return `${await figure(4)}; first player ${await figure(1)}`;
  },
  "own: a new building for 2 wood and 1 clay with 6 points, played": async () => {
    const row = '#tables tr[data-name="w2c1_2"]';
    await click('#tables tr[data-name="w2c1"] .parts button');
    await page.waitForSelector(row);
    await type("building.w2c1_2.points", 6);
    await isKnown();
    const answer = await cells("w2c1_2");
    await click("#play");
    await page.waitForSelector("#edited:not([hidden])");
    return answer;
  },
};

console.log("| task | clicks | fields | seconds | answer on the page |\n|---|---|---|---|---|");
for (const [title, work] of Object.entries(tasks)) {
  await page.goto(`${address}balance.html`);
  await page.evaluate(() => localStorage.clear());
  await page.goto(`${address}balance.html`);
  await page.waitForSelector("html[data-ready]");
  [clicks, fields] = [0, 0];
  const begun = performance.now();
  const answer = await work();
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const longest = Math.round(await page.evaluate(() => window.longest));
  console.log(`| ${title} | ${clicks} | ${fields} | ${seconds} | ${answer} |`);
  if (longest > 50) console.error(`${title}: a task of ${longest} ms on the page`);
}
await browser.close();
