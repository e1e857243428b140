/** How the pages of a code host are named. `url` is the address of the repository. */
interface CodeHost {
  /** The least and the most names in the path of a repository. */
  readonly names: readonly [least: number, most: number];
  readonly commit: (url: string, revision: string) => string;
  readonly comparison: (url: string, from: string, to: string) => string;
}

/** @see https://docs.github.com/en/pull-requests/committing-changes-to-your-project/viewing-and-comparing-commits/comparing-commits */
const github: CodeHost = {
  names: [2, 2],
  commit: (url, revision) => `${url}/commit/${revision}`,
  comparison: (url, from, to) => `${url}/compare/${from}...${to}`,
};

/** @see https://docs.gitlab.com/user/project/repository/compare_revisions/ */
const gitlab: CodeHost = {
  names: [2, 21],
  commit: (url, revision) => `${url}/-/commit/${revision}`,
  comparison: (url, from, to) => `${url}/-/compare/${from}...${to}`,
};

/** Bitbucket names the newer commit first. */
const bitbucket: CodeHost = {
  names: [2, 2],
  commit: (url, revision) => `${url}/commits/${revision}`,
  comparison: (url, from, to) => `${url}/branches/compare/${to}%0D${from}`,
};

/** Gitea and Forgejo name their pages as GitHub does. */
const gitea = github;

/**
 * The code hosts that links may lead to. Any image can name any host, so a link to an unknown host
 * could lead a reader anywhere.
 */
const codeHosts: ReadonlyMap<string, CodeHost> = new Map([
  ["github.com", github],
  ["gitlab.com", gitlab],
  ["bitbucket.org", bitbucket],
  ["codeberg.org", gitea],
  ["gitea.com", gitea],
]);

/** A repository on a known code host. */
export interface SourceRepository {
  /** `https://github.com/acme/api` */
  readonly url: string;
  readonly host: CodeHost;
}

/** The longest text of a source. */
const longestSource = 300;

/** A fragment names the part of the repository that was built: `…/nginx.git#1a2b3c4:stable`. */
const forms = [
  /^https:\/\/(?<host>[a-z0-9.-]+)(?::443)?\/(?<path>[\w./-]+?)(?:\.git)?\/?(?:#.*)?$/i,
  /^ssh:\/\/git@(?<host>[a-z0-9.-]+)(?::22)?\/(?<path>[\w./-]+?)(?:\.git)?\/?$/i,
  /^git@(?<host>[a-z0-9.-]+):(?<path>[\w./-]+?)(?:\.git)?\/?$/i,
];

/**
 * Returns the repository that a text of an image names, or undefined for any other text. The URL has
 * no user, port, query or fragment.
 */
export function sourceRepository(text: string): SourceRepository | undefined {
  if (text.length > longestSource) return undefined;
  const { host: written = "", path = "" } = forms.map((form) => form.exec(text)).find(Boolean)?.groups ?? {};
  const name = written.toLowerCase();
  const host = codeHosts.get(name);
  if (host === undefined) return undefined;
  const names = path.split("/");
  const [least, most] = host.names;
  const isRepository = names.length >= least && names.length <= most && names.every((one) => /^\w[\w.-]*$/.test(one));
  return isRepository ? { url: `https://${name}/${path}`, host } : undefined;
}
