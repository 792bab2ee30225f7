// Checks the pages of studies: layout at 1280 and 360 px, in light and dark, the place of the answer, tooltips, filters, and brief
// pages, which print on one sheet.
// Arguments: pages; those whose name begins with `brief` are brief.

import assert from "node:assert/strict";
import path from "node:path";
import puppeteer from "puppeteer-core";

const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740, hasTouch: true, isMobile: true };

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--allow-file-access-from-files"],
});
const page = await browser.newPage();
const problems = [];
page.on("console", (message) => {
  if (["error", "warn"].includes(message.type())) problems.push(`console: ${message.text()}`);
});
page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));

/** Returns what lies outside of the page and outside of frames that scroll. */
const outside = () =>
  page.evaluate(() => {
    const found = [];
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width) found.push(`scrolls to ${document.documentElement.scrollWidth}`);
    for (const node of document.querySelectorAll("h1, h2, h3, p, li, a, button, input, figure, dt, dd, summary, svg")) {
      if (!node.checkVisibility() || node.closest(".scroll, pre")) continue;
      const box = node.getBoundingClientRect();
      if (box.width > 0 && (box.left < -0.5 || box.right > width + 0.5)) found.push(`outside: ${node.outerHTML.slice(0, 80)}`);
    }
    return found;
  });

/** Returns the contrast of the answer with the page. */
const contrast = () =>
  page.evaluate(() => {
    const luminance = (colour) => {
      const parts = colour.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255);
      const linear = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    const ink = luminance(getComputedStyle(document.querySelector(".lead")).color);
    const background = [document.body, document.documentElement].map((node) => getComputedStyle(node).backgroundColor);
    const paper = luminance(background.find((colour) => colour !== "rgba(0, 0, 0, 0)") ?? "rgb(255, 255, 255)");
    return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
  });

/** Checks that every row of a chart shows its numbers if it is focused, and the first one if it is touched. */
const checkTips = async (name) => {
  const missing = await page.evaluate(() => {
    const tip = document.querySelector(".tip");
    const rows = [...document.querySelectorAll("ul.chart > li")].filter((row) => row.checkVisibility() && row.querySelector("svg"));
    const silent = rows.filter((row) => {
      const target = row.tabIndex === 0 ? row : row.querySelector("[tabindex='0']");
      target?.focus({ preventScroll: true });
      return tip.hidden || tip.textContent === "";
    });
    return silent.map((row) => row.outerHTML.slice(0, 80));
  });
  assert.deepEqual(missing, [], `${name}: rows without a tooltip`);
  const rows = await page.$$("ul.chart > li [tabindex='0'], ul.chart > li[tabindex='0']");
  const visible = await Promise.all(rows.map((row) => row.evaluate((node) => node.checkVisibility())));
  const row = rows[visible.indexOf(true)];
  if (row) {
    await page.evaluate(() => document.activeElement.blur());
    await row.tap();
    assert.ok(await page.$eval(".tip", (tip) => !tip.hidden), `${name}: a touch shows no tooltip`);
  }
};

/** Checks that a text hides the rows of a table of items that do not have it. */
const checkFilter = async (name) => {
  const counts = await page.evaluate(() => {
    const results = [];
    for (const details of document.querySelectorAll("section details")) {
      const body = details.querySelector("tbody");
      const id = body?.querySelector(".id")?.textContent;
      if (!id || body.rows.length < 9) continue;
      const field = details.querySelector("input");
      if (!field) return [[details.querySelector("summary").textContent, "no field"]];
      field.value = id;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      const shown = [...body.rows].filter((row) => !row.hidden);
      const isRight = shown.length > 0 && shown.length < body.rows.length && shown.every((row) => row.textContent.includes(id));
      if (!isRight) results.push([details.querySelector("summary").textContent, `${shown.length} of ${body.rows.length}`]);
      field.value = "";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    return results;
  });
  assert.deepEqual(counts, [], `${name}: filters`);
};

for (const file of process.argv.slice(2)) {
  const name = path.basename(path.dirname(file)) + "/" + path.basename(file);
  for (const scheme of ["light", "dark"]) {
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    for (const viewport of [WIDE, PHONE]) {
      await page.setViewport(viewport);
      await page.goto(`file://${path.resolve(file)}`);
      assert.deepEqual(await outside(), [], `${name} at ${viewport.width} px, ${scheme}`);
      assert.ok((await contrast()) >= 7, `${name}, ${scheme}: contrast of the answer`);
    }
  }
  // The page is as on a phone now.
  const top = await page.$eval(".lead", (lead) => lead.getBoundingClientRect().top + scrollY);
  assert.ok(top <= PHONE.height / 2, `${name}: the answer begins at ${top} px on a phone`);
  await checkTips(name);
  await page.setViewport(WIDE);
  await page.reload();
  await checkTips(name);
  await checkFilter(name);
  if (path.basename(file).startsWith("brief")) {
    const [top, right, bottom, left] = Array(4).fill("1cm");
    const pdf = Buffer.from(await page.pdf({ format: "A4", margin: { top, right, bottom, left } }));
    const sheets = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length;
    assert.equal(sheets, 1, `${name}: sheets`);
  }
  assert.deepEqual(problems, [], name);
}
await browser.close();
console.log(`${process.argv.length - 2} pages: layout, answers, tooltips, filters and prints are right`);
