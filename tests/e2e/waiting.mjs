// Waiting for what the page does later. Nothing here needs a test runner, so that the page objects can use it anywhere.
import assert from "node:assert/strict";

/** How long a test waits for the page to show something; the first build of the engine is slow on a small machine. */
export const WAIT_MS_MAX = 60_000;
/** The same for what a run of a job brings about: many commits, and Python on its first start. */
export const RUN_MS_MAX = 180_000;
/** Between two looks of `eventually`. */
const LOOK_MS = 50;

/**
 * Repeats a check until its assertions hold, and gives what it returns. When that takes too long, the last assertion
 * that did not hold is thrown, with the difference that it found.
 *
 * Whatever follows an act that the page answers later (a navigation, a request, a frame) is asserted in here; a locator's
 * `waitFor` says the same where a single element is all there is to wait for. Only assertions are tried again: any other
 * error is the test's own. That something is *not* there says nothing before the page has settled: wait first for what
 * must come instead.
 */
export async function eventually(check, msMax = WAIT_MS_MAX) {
  const end = Date.now() + msMax;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof assert.AssertionError) || Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Waits until the page has drawn what it knows: after two frames it has heard of its own sizes and gone where it was led. */
export async function drawn(page) {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}
