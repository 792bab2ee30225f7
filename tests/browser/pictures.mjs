// Makes the pictures of the players' guide. Arguments: the address of the page and the folder of the pictures.

import path from "node:path";
import puppeteer from "puppeteer-core";

const [address, folder] = process.argv.slice(2);
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage();

const settled = () =>
  page.waitForFunction(() => ["person", "over"].includes(document.querySelector("#game").dataset.next));

/** Asks for a hint and returns the button of the best action. */
const hint = async () => {
  await page.click("#hint");
  await page.waitForSelector("#analysis li", { timeout: 60_000 });
  const best = await page.$eval("#analysis li", (node) => node.textContent);
  for (const button of await page.$$("#actions button")) {
    const label = await button.evaluate((node) => node.textContent);
    if ([" (", ": "].some((rest) => best.startsWith(label + rest))) return button;
  }
  throw new Error(`no action is ${best}`);
};

/** Begins a game with a seed, and makes some decisions as the hints say. */
const begin = async (game, players, decisions) => {
  await page.goto(address);
  await page.waitForSelector("html[data-ready]");
  await page.$eval("#choose", (details) => (details.open = true));
  await page.click(`input[value=${game}]`);
  await page.select("#players", players);
  await page.type("#seed", "7");
  await page.click("#new-game button[type=submit]");
  await page.waitForSelector("#game:not([hidden])");
  await page.select("#pace", "0");
  await settled();
  for (let made = 0; made < decisions; made += 1) {
    const events = await page.$eval("#game", (node) => node.dataset.events);
    await (await hint()).evaluate((button) => button.click());
    await page.waitForFunction(
      (events) => document.querySelector("#game").dataset.events !== events,
      {},
      events,
    );
    await settled();
  }
};

try {
  await page.setViewport({ width: 1280, height: 1000 });
  await begin("the_river", "2", 4);
  await hint();
  await page.evaluate(() => scrollTo(0, 0));
  // What changed has been shown by then.
  await new Promise((done) => setTimeout(done, 1000));
  await page.screenshot({ path: path.join(folder, "browser.png") });
  await page.setViewport({ width: 360, height: 740 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  await begin("glassworks", "2", 5);
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: path.join(folder, "phone.png") });
} finally {
  await browser.close();
}
