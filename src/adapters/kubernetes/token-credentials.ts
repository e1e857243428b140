import { Agent, type Dispatcher } from "undici";
import type { Credentials, CredentialSource, NoCredentials } from "./credentials.ts";
import { agentOptions, connectOptions, sharedDispatcher } from "./dispatcher.ts";

/** A server and its certificate authority in PEM. */
export interface TokenServer extends Pick<Credentials, "whenAway"> {
  readonly kind: "server";
  readonly url: URL;
  readonly ca: string;
}

/** The access to a cluster that accepts tokens. */
export interface TokenAccess {
  /** The name of the server in messages. */
  readonly host: string;
  /** The remedy for a rejected or missing token, as the end of a sentence. */
  readonly remedy: string;
  /** Returns the server, and never rejects. `afresh` is true when the last answer did not work. */
  readonly server: (afresh: boolean) => Promise<TokenServer | NoCredentials>;
  /** Returns a token. `afresh` is true when the server rejected the last token. */
  readonly token: (afresh: boolean) => Promise<{ readonly kind: "token"; readonly value: string } | NoCredentials>;
}

/** Returns a source of credentials with tokens. Connections stay open until the server changes. */
export function tokenCredentials({ host, remedy, server, token }: TokenAccess): CredentialSource {
  // Requests to a former server do not reach the cluster, so they are aborted.
  const dispatchers = sharedDispatcher("destroy");
  const dispatcherTo = ({ url, ca }: TokenServer): Dispatcher =>
    dispatchers.of(`${url.origin}\n${ca}`, () => new Agent({ ...agentOptions, connect: { ...connectOptions, ca } }));
  return {
    host,
    remedy,
    async credentials(refresh): Promise<Credentials | NoCredentials> {
      const [where, given] = await Promise.all([server(refresh), token(refresh)]);
      if (where.kind === "none") return where;
      if (given.kind === "none") return given;
      const headers = { authorization: `Bearer ${given.value}` };
      const { url, whenAway } = where;
      const proof = { token: given.value };
      return {
        kind: "credentials",
        server: url,
        dispatcher: dispatcherTo(where),
        headers,
        proof,
        ...(whenAway && { whenAway }),
      };
    },
    close: () => dispatchers.close(),
  };
}
