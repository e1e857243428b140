import { Agent, type Dispatcher } from "undici";
import type { Credentials, CredentialSource, NoCredentials } from "./credentials.ts";
import { agentOptions, connectOptions, sharedDispatcher } from "./dispatcher.ts";

/** A server, and the certificate authority in PEM that its certificate is of. */
export interface TokenServer extends Pick<Credentials, "whenAway"> {
  readonly kind: "server";
  readonly url: URL;
  readonly ca: string;
}

/** How a cluster is reached that lets in who has a token. */
export interface TokenAccess {
  /** What the cluster's server is called in messages. */
  readonly host: string;
  /** What to do about a token that is refused or can't be had, as the end of a sentence. */
  readonly remedy: string;
  /** @param afresh - true: what was answered last was of no use. Never rejects. */
  readonly server: (afresh: boolean) => Promise<TokenServer | NoCredentials>;
  /** As `server`. */
  readonly token: (afresh: boolean) => Promise<{ readonly kind: "token"; readonly value: string } | NoCredentials>;
}

/** Lets requests in by a token, over connections that are kept; they are made anew when the server is another one. */
export function tokenCredentials({ host, remedy, server, token }: TokenAccess): CredentialSource {
  // Requests that are under way when the server is another one were on their way to what is not the cluster.
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
