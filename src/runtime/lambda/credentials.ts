import { variable } from "./wiring/part.ts";

/** Who signs the requests of AWS clients. */
interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * Takes the place of the AWS clients' chain of credential providers where functions are built (lib/bundle.ts). Lambda puts the credentials of
 * a function's role into its environment; the other places of the chain, and the clients that ask them, would be loaded for nothing.
 */
export function defaultProvider(): () => Promise<Credentials> {
  const { AWS_SESSION_TOKEN: sessionToken } = process.env;
  const read = (name: string): string => variable(process.env, name, "Lambda sets it");
  return async () =>
    Promise.resolve({
      accessKeyId: read("AWS_ACCESS_KEY_ID"),
      secretAccessKey: read("AWS_SECRET_ACCESS_KEY"),
      ...(sessionToken === undefined ? {} : { sessionToken }),
    });
}
