import { defaultProvider } from "@aws-sdk/credential-provider-node";
import type { CredentialProvider } from "../aws.ts";

/** Answers the credentials of this process: of the function's role, or of who is logged in. They are kept until they expire. */
export function ownCredentials(): CredentialProvider {
  const provide = defaultProvider();
  return () => provide();
}
