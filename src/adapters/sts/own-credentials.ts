import { defaultProvider } from "@aws-sdk/credential-provider-node";
import type { CredentialProvider } from "../shared/aws.ts";

/** Answers the credentials of this process: of the function's role, or of who is logged in. They are kept until they expire. */
export function ownCredentials(): CredentialProvider {
  const provide = defaultProvider();
  return () =>
    provide().catch(async (error: unknown) => {
      // Loaded when it is needed: functions have no profiles.
      const { unknownProfile } = await import("./unknown-profile.ts");
      throw (await unknownProfile(process.env)) ?? error;
    });
}
