import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  familiarImage,
  formatImageReference,
  isDigest,
  isTag,
  parseImageReference,
  replaceImage,
  imageNameOf,
} from "#domain/image/reference";
import { oftenTried } from "#test/property-runs";
import { nearReferences, references, refused, SHA256, SHA384, SHA512, tags, understood } from "./references.ts";

/** What a text is read as: the parts, or the code of the problem. */
function read(text: string): unknown {
  const parsed = parseImageReference(text);
  return parsed.ok ? parsed.value : parsed.problem.code;
}

describe("an image reference", () => {
  it.each(understood)("$text: $because", ({ text, is: [registry, repository, tag] }) => {
    expect(read(text)).toStrictEqual({ registry, repository, ...(tag === undefined ? {} : { tag }) });
  });

  it.each([SHA256, SHA384, SHA512])("carries a digest, with and without a tag: %s", (digest) => {
    expect([read(`a@${digest}`), read(`a:1@${digest}`)]).toEqual([
      { registry: "docker.io", repository: "library/a", digest },
      { registry: "docker.io", repository: "library/a", tag: "1", digest },
    ]);
  });

  it.each(refused)("$code: $because ($text)", ({ text, code }) => {
    expect(read(text)).toBe(code);
  });

  it.each([
    { text: "", code: "empty", why: "an image is expected, for example nginx:1.27" },
    {
      text: "0".repeat(64),
      code: "invalid-format",
      why: "64 hexadecimal digits are an image's identifier, not a name",
    },
    { text: `a/${"b".repeat(254)}`, code: "name-too-long", why: "the repository has more than 255 characters" },
    {
      text: "a@md5:0123456789abcdef0123456789abcdef",
      code: "digest-invalid",
      why: "character 3: the digest must be sha256, sha384 or sha512 with 64, 96 or 128 lower-case hexadecimal digits",
    },
  ])("shows the faulty text: $code", ({ text, code, why }) => {
    expect(parseImageReference(text)).toEqual({
      ok: false,
      problem: { code, message: `"${text}": not an image reference: ${why}` },
    });
  });

  it.each([
    { text: "nginx:", where: "the text ends too early" },
    { text: "nginx:1@sha256", where: "the text ends too early" },
    { text: "[::1]:5000", where: "the text ends too early" },
    { text: "a:b:c", where: "character 4" },
    { text: "a//b", where: "character 3" },
    { text: "ghcr.io/a___b", where: "character 12" },
    { text: "GHCR.io/.a", where: "character 9" },
    { text: "GHCR.i_o/a b", where: "character 7" },
    { text: "GHCR.io:a/b", where: "character 9" },
    { text: "host:port/a", where: "character 10" },
    { text: `a:${"t".repeat(129)}`, where: "character 131" },
    { text: "a@sha256:0g", where: "character 11" },
    { text: "a b", where: "character 2" },
    { text: "ghcr.io/é😀", where: "character 9" },
    { text: `${"a".repeat(299)}!`, where: "character 300" },
  ])("is rejected at the first invalid character of $text: $where", ({ text, where }) => {
    const message = `"${text}": not an image reference: ${where}: expected [host[:port]/]path[:tag][@algorithm:hex]`;

    expect(parseImageReference(text)).toEqual({ ok: false, problem: { code: "invalid-format", message } });
  });

  it("is rejected without a place if the place is not shown", () => {
    expect(parseImageReference(`${"a".repeat(300)}!`)).toMatchObject({
      problem: { message: expect.stringContaining('a…": not an image reference: after character 300: ') as string },
    });
  });

  it.each(["[::1]:5000/a/b.c__d-e:t.1@sha256", `x-y.io:5000/a@sha256+b:${"0".repeat(32)}`])(
    "is rejected at a fault behind any beginning of %s",
    (text) => {
      for (let length = 1; length <= text.length; length += 1) {
        const read = parseImageReference(`${text.slice(0, length)}!`);

        expect(read.ok ? "" : read.problem.message).toContain(`: character ${length + 1}: expected [host`);
      }
    },
  );

  it("is rejected at a fault after the shown part", () => {
    fc.assert(
      fc.property(references(), (text) => {
        const read = parseImageReference(`${text}!`);

        expect(read.ok ? "" : read.problem.message).toContain(`: character ${text.length + 1}: expected [host`);
      }),
    );
  });

  it.each([
    { text: "NGINX:1", where: "character 1" },
    { text: "foo/Bar", where: "character 5" },
    { text: "GHCR.io/a/B", where: "character 11" },
    { text: "my_Host/app", where: "character 4" },
    { text: "éÉ", where: "character 2" },
  ])("is rejected at the capital of $text: $where", ({ text, where }) => {
    const message = `"${text}": not an image reference: ${where}: the repository must be in lower case`;

    expect(parseImageReference(text)).toEqual({ ok: false, problem: { code: "uppercase", message } });
  });

  it.each([
    { length: 300, shown: "/".repeat(300) },
    { length: 301, shown: `${"/".repeat(300)}…` },
  ])("shows at most 300 characters of a text of $length", ({ length, shown }) => {
    expect(parseImageReference("/".repeat(length))).toMatchObject({
      problem: { message: expect.stringMatching(`^"${shown}": not an image`) as string },
    });
  });

  it("is parsed in one pass, also with 200,000 repeated characters", () => {
    const units = ["a", "a-", "-", "a.", "a_", "a__", "a/", "A.", "a.b/", "[:", ":a", "@a+"];
    const texts = ["", "x.io/", "a:", "a@a", "a@a:"].flatMap((before) =>
      units.flatMap((unit) => ["", "!"].map((after) => before + unit.repeat(200_000 / unit.length) + after)),
    );

    expect(new Set(texts.map(read))).toEqual(
      new Set(["invalid-format", "uppercase", "name-too-long", "digest-invalid"]),
    );
  });

  it.each([
    { ref: { registry: "docker.io", repository: "library/nginx", tag: "1.27" }, short: "nginx:1.27" },
    { ref: { registry: "docker.io", repository: "foo/bar" }, short: "foo/bar" },
    { ref: { registry: "docker.io", repository: "library/foo/bar" }, short: "library/foo/bar" },
    { ref: { registry: "ghcr.io", repository: "library/nginx", tag: "1" }, short: "ghcr.io/library/nginx:1" },
    { ref: { registry: "docker.io", repository: "a/b", tag: "1", digest: SHA256 }, short: `a/b:1@${SHA256}` },
  ])("is shown to users as $short", ({ ref, short }) => {
    expect(familiarImage(ref)).toBe(short);
  });

  it("has one canonical form for all spellings", () => {
    const spellings = ["nginx:1", "library/nginx:1", "docker.io/nginx:1", "index.docker.io/library/nginx:1"];

    const canonical = spellings.map((text) => {
      const parsed = parseImageReference(text);
      return parsed.ok && formatImageReference(parsed.value);
    });

    expect(new Set(canonical)).toEqual(new Set(["docker.io/library/nginx:1"]));
  });

  it("names its repository without tag and digest", () => {
    expect(imageNameOf({ registry: "docker.io", repository: "library/nginx" })).toBe("docker.io/library/nginx");
    expect(imageNameOf({ registry: "", repository: "my_host.example/app" })).toBe("my_host.example/app");
  });

  it("parses to the formatted reference", () => {
    fc.assert(
      fc.property(references(), (text) => {
        const parsed = parseImageReference(text);
        if (!parsed.ok) throw new Error(parsed.problem.message);

        expect(parseImageReference(formatImageReference(parsed.value))).toEqual(parsed);
      }),
    );
  });

  it("is rejected, or parses its own formatted text and takes another tag", () => {
    fc.assert(
      fc.property(nearReferences(), (text) => {
        const parsed = parseImageReference(text);
        if (!parsed.ok) return;

        expect(parseImageReference(formatImageReference(parsed.value))).toEqual(parsed);
        expect(formatImageReference(parsed.value).endsWith(familiarImage(parsed.value))).toBe(true);
        expect(parseImageReference(replaceImage(text, { tag: "next" }))).toMatchObject({ value: { tag: "next" } });
      }),
      oftenTried,
    );
  });
});

describe("another image in a manifest", () => {
  it.each([
    { original: "nginx", to: { tag: "1.28" }, written: "nginx:1.28", because: "the short name stays" },
    { original: "nginx:1.27", to: { tag: "1.28" }, written: "nginx:1.28", because: "the tag is replaced" },
    { original: "nginx:1.27", to: { digest: SHA256 }, written: `nginx@${SHA256}`, because: "the old tag goes" },
    {
      original: `docker.io/nginx:1@${SHA512}`,
      to: { tag: "2", digest: SHA256 },
      written: `docker.io/nginx:2@${SHA256}`,
      because: "a written host stays",
    },
    {
      original: "index.docker.io/library/nginx:1",
      to: { tag: "2" },
      written: "index.docker.io/library/nginx:2",
      because: "no spelling is corrected",
    },
    { original: "reg:5000/a", to: { tag: "2" }, written: "reg:5000/a:2", because: "a port is no tag" },
    { original: `reg:5000/a@${SHA256}`, to: {}, written: "reg:5000/a", because: "nothing given leaves the name" },
  ])("is $written: $because", ({ original, to, written }) => {
    expect(replaceImage(original, to)).toBe(written);
  });

  it.each([
    { original: "Nginx", to: { tag: "1" }, what: "Nginx" },
    { original: "nginx", to: { tag: "a b" }, what: "a b" },
    { original: "nginx", to: { digest: "sha256:abc" }, what: "sha256:abc" },
  ])("is never written from an invalid value: $what", ({ original, to, what }) => {
    expect(() => replaceImage(original, to)).toThrow(what);
  });

  it("is of the same repository, with the new tag and digest", () => {
    fc.assert(
      fc.property(references(), tags, (original, tag) => {
        const before = parseImageReference(original);
        const after = parseImageReference(replaceImage(original, { tag, digest: SHA384 }));
        if (!before.ok) throw new Error(before.problem.message);

        expect(after).toEqual({ ok: true, value: { ...before.value, tag, digest: SHA384 } });
      }),
    );
  });
});

describe("a digest and a tag", () => {
  it.each([SHA256, SHA384, SHA512])("accept %s as a digest", (text) => {
    expect(isDigest(text)).toBe(true);
  });

  it.each(["", "sha256", "sha256:", SHA256.toUpperCase(), `${SHA256} `, `x${SHA256}`, `sha1:${"a".repeat(40)}`])(
    'reject "%s" as a digest',
    (text) => {
      expect(isDigest(text)).toBe(false);
    },
  );

  it.each(["1", "_", "latest", "V1.2-x_y", "a".repeat(128)])('accept "%s" as a tag', (text) => {
    expect(isTag(text)).toBe(true);
  });

  it.each(["", "-a", ".a", "a:b", "a/b", "a+b", "é", "a".repeat(129)])('reject "%s" as a tag', (text) => {
    expect(isTag(text)).toBe(false);
  });
});
