import { describe, expect, it } from "vitest";
import { nextLink } from "#adapters/oci/link";

describe("the query of the next page", () => {
  it.each([
    { header: '</v2/shop/api/tags/list?last=a>; rel="next"', query: "last=a" },
    { header: "<?last=a,b>; rel=next", query: "last=a,b" },
    { header: "<v2/shop/api/tags/list?last=a>;rel=next", query: "last=a" },
    { header: '</first?n=1>; rel="first", </v2/y?last=b>; title="a, b"; rel="prev next"', query: "last=b" },
    { header: '<https://other.example/x?last=a&n=9#here>; REL="Next"', query: "last=a&n=9" },
    { header: "<http://[?last=a>; rel='next'", query: "last=a" },
    { header: '<?last=a>; rel=next, <http://inner:5000/v2/x?last=a>; rel="next"', query: "last=a" },
    { header: '<?last=a%2B1&token=x%3D%3D>; type="a;b"; rel=next; rel=prev', query: "last=a%2B1&token=x%3D%3D" },
    { header: `<?last=${"x".repeat(7_995)}>; rel=next`, query: `last=${"x".repeat(7_995)}` },
  ])("is read from $header", ({ header, query }) => {
    expect(nextLink(header)).toEqual({ kind: "next", query });
  });

  it.each([
    undefined,
    "",
    ' </first>; rel="first"',
    '</next?next=1>; rel="first"; title="next"',
    '<?last=a>; rel="prev"; title="; rel=next"',
    '<https://docs.example/>; title="documentation"',
  ])("is missing after %j", (header) => {
    expect(nextLink(header)).toEqual({ kind: "none" });
  });

  it.each([
    { header: "</v2/x>; rel=next", problem: "whose next page has no query" },
    { header: "</v2/x?>; rel=next", problem: "whose next page has no query" },
    { header: "</v2/x#?last=a>; rel=next", problem: "whose next page has no query" },
    { header: "<>; rel=next", problem: "whose next page has no query" },
    { header: "<?a=1>; rel=next, <?a=2>; rel=next", problem: "that names two different next pages" },
    {
      header: `<?last=${"x".repeat(7_996)}>; rel=next`,
      problem: "whose next page has a query of more than 8000 characters",
    },
    { header: 'rel="next"', problem: "that can't be read" },
    { header: '/v2/x?last=a; rel="next"', problem: "that can't be read" },
    { header: "<?last=a>", problem: "that does not say whether its link is the next page" },
  ])("is refused in $header", ({ header, problem }) => {
    expect(nextLink(header)).toEqual({ kind: "broken", problem });
  });
});
