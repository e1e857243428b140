import fc from "fast-check";

/** A digest of each algorithm that a reference may carry. */
export const [SHA256, SHA384, SHA512] = [
  `sha256:${"0123456789abcdef".repeat(4)}`,
  `sha384:${"0123456789abcdef".repeat(6)}`,
  `sha512:${"0123456789abcdef".repeat(8)}`,
] as const;

/** Texts that are references, each with its registry, its repository and its tag, and why. */
export const understood: readonly {
  readonly text: string;
  readonly is: readonly [registry: string, repository: string, tag?: string];
  readonly because: string;
}[] = [
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
  { text: "EXAMPLE.com/app", is: ["example.com", "app"], because: "a host has no case" },
  { text: "LOCALHOST/app", is: ["localhost", "app"], because: "localhost has none either" },
  { text: "Index.Docker.io/nginx", is: ["docker.io", "library/nginx"], because: "nor has Docker Hub" },
  { text: "127.0.0.1:5000/a/b", is: ["127.0.0.1:5000", "a/b"], because: "an address is a host" },
  { text: "[::1]:5000/app", is: ["[::1]:5000", "app"], because: "an IPv6 address is a host" },
  { text: "[2001:db8::1]/app:t", is: ["[2001:db8::1]", "app", "t"], because: "its port may be left out" },
  { text: "[2001:DB8::F]:5000/app", is: ["[2001:db8::f]:5000", "app"], because: "with capitals too" },
  { text: "a.b:100000/app", is: ["a.b:100000", "app"], because: "the grammar counts no digits of a port" },
  { text: "xn--n3h.com/a:b.c", is: ["xn--n3h.com", "a", "b.c"], because: "dashes may repeat in a host" },
  { text: "a/b__c--d.e_f", is: ["docker.io", "a/b__c--d.e_f"], because: "these are the separators of a path" },
  { text: "my_host.example/app", is: ["", "my_host.example/app"], because: "the grammar finds no host there" },
  { text: `a:${"t".repeat(128)}`, is: ["docker.io", "library/a", "t".repeat(128)], because: "a tag has 128 at most" },
  { text: "a:_x", is: ["docker.io", "library/a", "_x"], because: "a tag may start with an underscore" },
  { text: `a/${"b".repeat(253)}`, is: ["docker.io", `a/${"b".repeat(253)}`], because: "a path has 255 at most" },
  { text: `${"h".repeat(300)}.io/a`, is: [`${"h".repeat(300)}.io`, "a"], because: "the host does not count" },
  ...[
    { host: "123456789012.dkr.ecr.eu-central-1.amazonaws.com", of: "ECR" },
    { host: "123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn", of: "ECR in China" },
    { host: "123456789012.dkr.ecr-fips.us-gov-west-1.amazonaws.com", of: "ECR by its FIPS host" },
    { host: "123456789012.dkr.ecr.us-iso-east-1.c2s.ic.gov", of: "ECR in an ISO partition" },
    { host: "123456789012.dkr-ecr.eu-central-1.on.aws", of: "ECR by its dual-stack host" },
    { host: "public.ecr.aws", of: "ECR's public registry" },
  ].map(({ host, of }) => ({
    text: `${host}/docker/library/nginx:1.27`,
    is: [host, "docker/library/nginx", "1.27"] as const,
    because: `${of} keeps its whole path`,
  })),
];

/** Texts that are none, each with the code of its problem, and why. */
export const refused: readonly { readonly text: string; readonly code: string; readonly because: string }[] = [
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
  { text: `a@sha256:${"a".repeat(31)}`, code: "invalid-format", because: "31 are too few" },
  { text: `a@sha256:${"a".repeat(32)}`, code: "digest-invalid", because: "32 fit the grammar" },
  { text: `a@sha256${"a".repeat(64)}`, code: "invalid-format", because: "the algorithm is missing" },
  { text: `a@:${"a".repeat(64)}`, code: "invalid-format", because: "the algorithm is empty" },
  { text: `a@2sha:${"a".repeat(64)}`, code: "invalid-format", because: "an algorithm starts with a letter" },
  { text: `a@sha++a:${"a".repeat(64)}`, code: "invalid-format", because: "one separator joins" },
  { text: `a@sha+:${"a".repeat(64)}`, code: "invalid-format", because: "no separator ends it" },
  { text: `a@sha/a:${"a".repeat(64)}`, code: "invalid-format", because: "a slash does not join" },
  { text: `a@sha256:${"g".repeat(64)}`, code: "invalid-format", because: "g is no hexadecimal digit" },
  { text: `a@${SHA256.slice(0, -1)}`, code: "digest-invalid", because: "sha256 has 64 digits, not 63" },
  { text: `a@${SHA256}0`, code: "digest-invalid", because: "sha256 has 64 digits, not 65" },
  { text: `a@${SHA384.slice(0, -1)}`, code: "digest-invalid", because: "sha384 has 96 digits, not 95" },
  { text: `a@${SHA384}0`, code: "digest-invalid", because: "sha384 has 96 digits, not 97" },
  { text: `a@${SHA512.slice(0, -1)}`, code: "digest-invalid", because: "sha512 has 128 digits, not 127" },
  { text: `a@${SHA512}0`, code: "digest-invalid", because: "sha512 has 128 digits, not 129" },
  { text: `a@x${SHA256}`, code: "digest-invalid", because: "nothing stands before the algorithm" },
  { text: `a@sha256:${"A".repeat(64)}`, code: "digest-invalid", because: "digits are small letters" },
  { text: `a:1@SHA256:${"a".repeat(64)}`, code: "digest-invalid", because: "algorithms are small letters" },
  { text: `a@md5:${"a".repeat(32)}`, code: "digest-invalid", because: "md5 is not a known algorithm" },
  {
    text: `a@a.b-c_d+e:${"a".repeat(32)}`,
    code: "digest-invalid",
    because: "it fits the grammar, and nobody knows it",
  },
  { text: "Nginx", code: "uppercase", because: "the path has a capital" },
  { text: "a//B", code: "uppercase", because: "the capital is named, whatever else is wrong" },
  { text: "x.io/:T", code: "invalid-format", because: "a tag may have capitals" },
  { text: "foo/Bar:t", code: "uppercase", because: "the path has a capital" },
  { text: "ghcr.io/Owner/app", code: "uppercase", because: "the path has a capital" },
  { text: "foo_Bar/app", code: "uppercase", because: "it would be a path without the capital" },
  { text: `a/${"b".repeat(254)}`, code: "name-too-long", because: "a path has 255 characters at most" },
  { text: "b".repeat(248), code: "name-too-long", because: "library/ counts" },
];

/** Tags by their making. */
export const tags = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}$/);

/** Texts that are references by their making. */
export function references(): fc.Arbitrary<string> {
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

/**
 * Texts around the grammar: references, mistyped ones, parts about as long as they may be, and its
 * characters in any order.
 */
export function nearReferences(): fc.Arbitrary<string> {
  const marks = fc.constantFrom(...Array.from("aZ0._-/:@[]+ é\n"));
  const slip = fc.tuple(fc.nat(60), fc.nat(2), fc.oneof(fc.constant(""), marks));
  const mistyped = fc
    .tuple(references(), fc.array(slip, { minLength: 1, maxLength: 3 }))
    .map(([text, slips]) => slips.reduce((before, [at, gone, put]) => spliced(before, at, gone, put), text));
  return fc.oneof(references(), mistyped, longReferences(), fc.string({ unit: marks, maxLength: 20 }));
}

/** Other characters in place of some; a place behind the end is counted on from the beginning. */
function spliced(text: string, at: number, gone: number, put: string): string {
  const place = at % (text.length + 1);
  return text.slice(0, place) + put + text.slice(place + gone);
}

function longReferences(): fc.Arbitrary<string> {
  const around = (most: number): fc.Arbitrary<number> => fc.integer({ min: most - 2, max: most + 2 });
  const name = fc
    .tuple(fc.constantFrom("", "a/", "ghcr.io/", "docker.io/", "docker.io/a/"), fc.oneof(around(247), around(255)))
    .map(([before, length]) => before + "b".repeat(length));
  const tag = around(128).map((length) => `:${"t".repeat(length)}`);
  const hex = fc.tuple(fc.constantFrom("a", "A", "0", "g"), fc.oneof(...[32, 64, 96, 128].map(around)));
  const algorithm = fc.constantFrom("sha256", "sha384", "sha512", "SHA256", "md5", "a.b-c_d+e", "sha256+b64", "2a", "");
  const digest = fc.tuple(algorithm, hex).map(([kind, [digit, length]]) => `@${kind}:${digit.repeat(length)}`);
  const maybe = (part: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.oneof(fc.constant(""), part);
  return fc.tuple(fc.oneof(fc.constant("a"), name), maybe(tag), maybe(digest)).map((parts) => parts.join(""));
}
