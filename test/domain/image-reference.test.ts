import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  familiarImage,
  formatImageReference,
  isDigest,
  isTag,
  parseImageReference,
  replaceImage,
  repositoryKey,
} from "#domain/image-reference";

const SHA256 = `sha256:${"0123456789abcdef".repeat(4)}`;
const SHA384 = `sha384:${"0123456789abcdef".repeat(6)}`;
const SHA512 = `sha512:${"0123456789abcdef".repeat(8)}`;

/** What a text is read as: the parts, or the code of the problem. */
function read(text: string): unknown {
  const parsed = parseImageReference(text);
  return parsed.ok ? parsed.value : parsed.problem.code;
}

describe("an image reference", () => {
  it.each([
    { text: "nginx", is: ["docker.io", "library/nginx"], because: "one word is an official image" },
    {
      text: "nginx:1.27",
      is: ["docker.io", "library/nginx", "1.27"],
      because: "no tag is made up, a written one stays",
    },
    { text: "foo/bar", is: ["docker.io", "foo/bar"], because: "a first component without a dot is no host" },
    { text: "foo_bar/app", is: ["docker.io", "foo_bar/app"], because: "an underscore makes no host" },
    { text: "docker.io/nginx", is: ["docker.io", "library/nginx"], because: "library/ is implied behind the host too" },
    { text: "index.docker.io/nginx", is: ["docker.io", "library/nginx"], because: "the index is Docker Hub" },
    { text: "index.docker.io/foo/bar", is: ["docker.io", "foo/bar"], because: "the index is Docker Hub for all" },
    { text: "docker.io/library/foo/bar", is: ["docker.io", "library/foo/bar"], because: "paths may go deeper" },
    { text: "localhost/app", is: ["localhost", "app"], because: "localhost is a host" },
    { text: "localhost", is: ["docker.io", "library/localhost"], because: "a host needs a path behind it" },
    { text: "ghcr.io/owner/app:v1", is: ["ghcr.io", "owner/app", "v1"], because: "a dot makes a host" },
    { text: "registry:5000/app", is: ["registry:5000", "app"], because: "a port makes a host" },
    { text: "registry:5000", is: ["docker.io", "library/registry", "5000"], because: "without a path it is a tag" },
    { text: "Registry/app", is: ["Registry", "app"], because: "a capital makes a host" },
    { text: "EXAMPLE.com/app", is: ["EXAMPLE.com", "app"], because: "a host keeps its capitals" },
    { text: "127.0.0.1:5000/a/b", is: ["127.0.0.1:5000", "a/b"], because: "an address is a host" },
    { text: "[::1]:5000/app", is: ["[::1]:5000", "app"], because: "an IPv6 address is a host" },
    { text: "[2001:db8::1]/app:t", is: ["[2001:db8::1]", "app", "t"], because: "its port may be left out" },
    { text: "xn--n3h.com/a:b.c", is: ["xn--n3h.com", "a", "b.c"], because: "dashes may repeat in a host" },
    { text: "a/b__c--d.e_f", is: ["docker.io", "a/b__c--d.e_f"], because: "these are the separators of a path" },
    { text: "my_host.example/app", is: ["", "my_host.example/app"], because: "the grammar finds no host there" },
    { text: `a:${"t".repeat(128)}`, is: ["docker.io", "library/a", "t".repeat(128)], because: "a tag has 128 at most" },
    { text: "a:_x", is: ["docker.io", "library/a", "_x"], because: "a tag may start with an underscore" },
    { text: `a/${"b".repeat(253)}`, is: ["docker.io", `a/${"b".repeat(253)}`], because: "a path has 255 at most" },
    { text: `${"h".repeat(300)}.io/a`, is: [`${"h".repeat(300)}.io`, "a"], because: "the host does not count" },
  ])("$text: $because", ({ text, is: [registry, repository, tag] }) => {
    expect(read(text)).toEqual({ registry, repository, ...(tag === undefined ? {} : { tag }) });
  });

  it.each([SHA256, SHA384, SHA512])("carries a digest, with and without a tag: %s", (digest) => {
    expect([read(`a@${digest}`), read(`a:1@${digest}`)]).toEqual([
      { registry: "docker.io", repository: "library/a", digest },
      { registry: "docker.io", repository: "library/a", tag: "1", digest },
    ]);
  });

  it.each([
    { text: "", code: "empty", because: "nothing is there" },
    { text: " nginx", code: "invalid-format", because: "a blank is nowhere allowed" },
    { text: "nginx\n", code: "invalid-format", because: "a line break is nowhere allowed" },
    { text: "a".repeat(64), code: "invalid-format", because: "64 hexadecimal digits are an identifier" },
    { text: "https://ghcr.io/a", code: "invalid-format", because: "a reference is no URL" },
    { text: ":tag", code: "invalid-format", because: "the name is missing" },
    { text: `@${SHA256}`, code: "invalid-format", because: "the name is missing" },
    { text: "a:", code: "invalid-format", because: "the tag is missing" },
    { text: "a@", code: "invalid-format", because: "the digest is missing" },
    { text: "a:-x", code: "invalid-format", because: "a tag starts with no dash" },
    { text: "a:.x", code: "invalid-format", because: "a tag starts with no dot" },
    { text: "a:b:c", code: "invalid-format", because: "there is one tag" },
    { text: `a:${"t".repeat(129)}`, code: "invalid-format", because: "a tag has 128 characters at most" },
    { text: "a//b", code: "invalid-format", because: "a component is missing" },
    { text: "/a", code: "invalid-format", because: "the host is missing" },
    { text: "ghcr.io/", code: "invalid-format", because: "the path is missing" },
    { text: "a..b/c", code: "invalid-format", because: "dots do not repeat" },
    { text: "a/b___c", code: "invalid-format", because: "three underscores do not join" },
    { text: "a/b_.c", code: "invalid-format", because: "separators do not mix" },
    { text: "a/-b", code: "invalid-format", because: "a component starts with no dash" },
    { text: "a/b-", code: "invalid-format", because: "a component ends with no dash" },
    { text: "-a.io/b", code: "invalid-format", because: "a host starts with no dash" },
    { text: "a-.io/b", code: "invalid-format", because: "no part of a host ends with a dash" },
    { text: "a.-b.io/b", code: "invalid-format", because: "no part of a host starts with a dash" },
    { text: "a.io:/b", code: "invalid-format", because: "the port is missing" },
    { text: "a.io:x/b", code: "invalid-format", because: "a port is a number" },
    { text: "[::1]", code: "invalid-format", because: "the path is missing" },
    { text: "[]:1/a", code: "invalid-format", because: "the address is missing" },
    { text: "[::1/a", code: "invalid-format", because: "the address is not closed" },
    { text: "[::1]x/a", code: "invalid-format", because: "only a port may follow an address" },
    { text: "[fe80::1%eth0]/a", code: "invalid-format", because: "an address has no zone here" },
    { text: "[::ffff:1.2.3.4]/a", code: "invalid-format", because: "an address has no dots here" },
    { text: "é.io/a", code: "invalid-format", because: "a host is ASCII" },
    { text: "a@sha256:abc", code: "invalid-format", because: "a digest has 32 digits at least" },
    { text: `a@sha256${"a".repeat(64)}`, code: "invalid-format", because: "the algorithm is missing" },
    { text: `a@:${"a".repeat(64)}`, code: "invalid-format", because: "the algorithm is empty" },
    { text: `a@2sha:${"a".repeat(64)}`, code: "invalid-format", because: "an algorithm starts with a letter" },
    { text: `a@sha++a:${"a".repeat(64)}`, code: "invalid-format", because: "one separator joins" },
    { text: `a@sha+:${"a".repeat(64)}`, code: "invalid-format", because: "no separator ends it" },
    { text: `a@sha/a:${"a".repeat(64)}`, code: "invalid-format", because: "a slash does not join" },
    { text: `a@sha256:${"g".repeat(64)}`, code: "invalid-format", because: "g is no hexadecimal digit" },
    { text: `a@${SHA256.slice(0, -1)}`, code: "digest-invalid", because: "sha256 has 64 digits, not 63" },
    { text: `a@${SHA256}0`, code: "digest-invalid", because: "sha256 has 64 digits, not 65" },
    { text: `a@sha256:${"A".repeat(64)}`, code: "digest-invalid", because: "digits are small letters" },
    { text: `a:1@SHA256:${"a".repeat(64)}`, code: "digest-invalid", because: "algorithms are small letters" },
    { text: `a@md5:${"a".repeat(32)}`, code: "digest-invalid", because: "md5 is not a known algorithm" },
    {
      text: `a@a.b-c_d+e:${"a".repeat(32)}`,
      code: "digest-invalid",
      because: "it fits the grammar, and nobody knows it",
    },
    { text: "Nginx", code: "uppercase", because: "the path has a capital" },
    { text: "foo/Bar:t", code: "uppercase", because: "the path has a capital" },
    { text: "ghcr.io/Owner/app", code: "uppercase", because: "the path has a capital" },
    { text: "foo_Bar/app", code: "uppercase", because: "it would be a path without the capital" },
    { text: `a/${"b".repeat(254)}`, code: "name-too-long", because: "a path has 255 characters at most" },
    { text: "b".repeat(248), code: "name-too-long", because: "library/ counts" },
  ])("$code: $because ($text)", ({ text, code }) => {
    expect(read(text)).toBe(code);
  });

  it("says what is wrong with the text that it shows", () => {
    expect(parseImageReference("foo/Bar")).toEqual({
      ok: false,
      problem: {
        code: "uppercase",
        message: '"foo/Bar": not an image reference: the repository must be in lower case',
      },
    });
  });

  it("shows no more than the beginning of a very long text", () => {
    const parsed = parseImageReference("/".repeat(10_000));

    expect(parsed.ok ? 0 : parsed.problem.message.length).toBeLessThan(500);
  });

  it.each([
    { ref: { registry: "docker.io", repository: "library/nginx", tag: "1.27" }, short: "nginx:1.27" },
    { ref: { registry: "docker.io", repository: "foo/bar" }, short: "foo/bar" },
    { ref: { registry: "docker.io", repository: "library/foo/bar" }, short: "library/foo/bar" },
    { ref: { registry: "ghcr.io", repository: "library/nginx", tag: "1" }, short: "ghcr.io/library/nginx:1" },
    { ref: { registry: "docker.io", repository: "a/b", tag: "1", digest: SHA256 }, short: `a/b:1@${SHA256}` },
  ])("is shown to people as $short", ({ ref, short }) => {
    expect(familiarImage(ref)).toBe(short);
  });

  it("has one canonical form for all its spellings", () => {
    const spellings = ["nginx:1", "library/nginx:1", "docker.io/nginx:1", "index.docker.io/library/nginx:1"];

    const canonical = spellings.map((text) => {
      const parsed = parseImageReference(text);
      return parsed.ok && formatImageReference(parsed.value);
    });

    expect(new Set(canonical)).toEqual(new Set(["docker.io/library/nginx:1"]));
  });

  it("names its repository without tag and digest", () => {
    expect(repositoryKey({ registry: "docker.io", repository: "library/nginx" })).toBe("docker.io/library/nginx");
    expect(repositoryKey({ registry: "", repository: "my_host.example/app" })).toBe("my_host.example/app");
  });

  it("is read as it was formatted", () => {
    fc.assert(
      fc.property(references(), (text) => {
        const parsed = parseImageReference(text);
        if (!parsed.ok) throw new Error(parsed.problem.message);

        expect(parseImageReference(formatImageReference(parsed.value))).toEqual(parsed);
      }),
      { numRuns: 500 },
    );
  });

  it("is either refused or formatted to itself, whatever the text", () => {
    const letters = fc.string({ unit: fc.constantFrom(...Array.from("aB0._-/:@[]")), maxLength: 20 });

    fc.assert(
      fc.property(letters, (text) => {
        const parsed = parseImageReference(text);

        if (parsed.ok) expect(parseImageReference(formatImageReference(parsed.value))).toEqual(parsed);
      }),
      { numRuns: 1_000 },
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
  ])("is never written from what is not valid: $what", ({ original, to, what }) => {
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
  it.each([SHA256, SHA384, SHA512])("%s is a digest", (text) => {
    expect(isDigest(text)).toBe(true);
  });

  it.each(["", "sha256", "sha256:", SHA256.toUpperCase(), `${SHA256} `, `x${SHA256}`, `sha1:${"a".repeat(40)}`])(
    '"%s" is no digest',
    (text) => {
      expect(isDigest(text)).toBe(false);
    },
  );

  it.each(["1", "_", "latest", "V1.2-x_y", "a".repeat(128)])('"%s" is a tag', (text) => {
    expect(isTag(text)).toBe(true);
  });

  it.each(["", "-a", ".a", "a:b", "a/b", "a+b", "é", "a".repeat(129)])('"%s" is no tag', (text) => {
    expect(isTag(text)).toBe(false);
  });
});

const tags = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}$/);

/** Texts that are references by their making. */
function references(): fc.Arbitrary<string> {
  const host = fc.constantFrom(
    "",
    "ghcr.io/",
    "localhost/",
    "reg:5000/",
    "[::1]:80/",
    "docker.io/",
    "index.docker.io/",
  );
  const component = fc.stringMatching(/^[a-z][a-z0-9]{0,5}((\.|_|__|-{1,3})[a-z0-9]{1,4}){0,2}$/);
  const path = fc.array(component, { minLength: 1, maxLength: 3 }).map((components) => components.join("/"));
  const tag = fc.option(tags).map((text) => (text === null ? "" : `:${text}`));
  const digest = fc.constantFrom("", `@${SHA256}`, `@${SHA512}`);
  return fc.tuple(host, path, tag, digest).map((parts) => parts.join(""));
}
