// The first screen, as somebody sees it who comes by a link and knows nothing.
import assert from "node:assert/strict";
import { NARROW, assertAccessible, assertNoSidewaysScroll, eventually, journey, pictures } from "./browser.mjs";
import { Home } from "./pages/home.mjs";

journey("home_offers_the_three_tutorials", async ({ page, open }) => {
  const home = new Home(page);
  await open("#/");
  await home.heading.first().waitFor();
  for (const number of [1, 2, 3]) await home.tutorial(number).waitFor();
  await eventually(async () => assert.equal(await home.tutorials.count(), 3));
  assert.equal(await home.dialogs.count(), 0, "nothing stands in the way");
  await pictures(page, "home");
});

journey("home_can_be_read_before_the_engine_is_ready", async ({ page, open }) => {
  const home = new Home(page);
  await open("#/");
  await home.tutorial(1).getByRole("button").first().waitFor();
  await home.engineStatus.filter({ hasText: /MB|%|ready/i }).waitFor();
  await home.engineReady();
});

for (const colorScheme of ["light", "dark"]) {
  journey(`home_has_no_barriers_${colorScheme}`, { colorScheme }, async ({ page, open }) => {
    const home = new Home(page);
    await open("#/");
    await home.tutorial(3).waitFor();
    await assertAccessible(page);
  });
}

journey("home_fits_a_phone", { viewport: NARROW, touch: true }, async ({ page, open }) => {
  const home = new Home(page);
  await open("#/");
  await home.tutorial(1).waitFor();
  await assertNoSidewaysScroll(page);
});
