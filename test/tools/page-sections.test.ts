import { expect, it } from "vitest";
import { withSection } from "../../tools/page-sections.ts";

const page = "# A page\n\n<!-- one -->\nold\n<!-- /one -->\n\nThe end.\n";

it("replaces the text between the marks, and nothing else", () => {
  expect(withSection(page, "one", "new")).toBe("# A page\n\n<!-- one -->\n\nnew\n\n<!-- /one -->\n\nThe end.\n");
});

it("names the missing marks of a page", () => {
  expect(() => withSection(page, "two", "new")).toThrow("the page has no <!-- two --> … <!-- /two -->");
});
