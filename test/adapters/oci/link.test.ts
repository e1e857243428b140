import { describe, expect, it } from "vitest";
import { nextPage } from "#adapters/oci/link";

const page = new URL("https://registry.example.com:5000/v2/shop/api/tags/list?n=1000");

describe("the next page", () => {
  it.each([
    { header: '</v2/shop/api/tags/list?last=a>; rel="next"', expected: "/v2/shop/api/tags/list?last=a" },
    { header: "</v2/x>;rel=next", expected: "/v2/x" },
    { header: "<?last=a,b>; rel=next", expected: "/v2/shop/api/tags/list?last=a,b" },
    { header: '</first>; rel="first", </v2/y>; title="a, b"; rel="prev next"', expected: "/v2/y" },
    { header: '<https://REGISTRY.example.com:5000/v2/z>; REL="Next"', expected: "/v2/z" },
  ])("is read from $header", ({ header, expected }) => {
    expect(nextPage(header, page)).toEqual(new URL(expected, page));
  });

  it.each([undefined, "", ' </first>; rel="first"'])("is missing after %j", (header) => {
    expect(nextPage(header, page)).toBe("none");
  });

  it.each([
    "https://registry.example.com/v2/x",
    "http://registry.example.com:5000/v2/x",
    "//registry.example.com/v2/x",
  ])("is rejected at %s, which is another origin", (reference) => {
    expect(nextPage(`<${reference}>; rel="next"`, page)).toBe("refused");
  });
});
