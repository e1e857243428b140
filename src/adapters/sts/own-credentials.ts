import { defaultProvider } from "@aws-sdk/credential-provider-node";
import type { CredentialProvider } from "../shared/aws.ts";

/** Returns a provider of this process's credentials: the function's role, or the user's login. */
export function ownCredentials(): CredentialProvider {
  const provide = defaultProvider();
  return () =>
    provide().catch(async (error: unknown) => {
      // This module is loaded on demand, because Lambda functions have no profiles.
      const { unknownProfile } = await import("./unknown-profile.ts");
      throw (await unknownProfile(process.env)) ?? error;
    });
}
