import { ownCredentials } from "#adapters/sts/own-credentials";
import { home } from "./aws-endpoint.ts";

/** What a command's user signs requests with, for the fake of AWS. */
export const userOptions = { credentials: ownCredentials(), region: home.region };

/** A URL whose host no resolver knows: one of its labels is too long. Needs no network. */
export const noHost = `http://${"e".repeat(64)}.invalid`;
