/** Receivers of notifications that a CDK app adds, with secrets of the stack. */
import { Annotations, Lazy, Stack, Validations } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { type ISecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { environment } from "#contracts/aws/environment";
import type { ReceiverConfiguration } from "#contracts/config/configuration";
import { receiverKinds } from "#contracts/config/receiver-kinds";
import { checked } from "../shared/configuration.ts";
import type { Startable } from "../shared/grantee.ts";

type Kind = keyof typeof receiverKinds;

/** The kinds of receivers, as `ReceiverKind.HARBOR`. */
export const ReceiverKind = Object.fromEntries(
  Object.keys(receiverKinds).map((kind) => [kind.toUpperCase().replaceAll("-", "_"), kind]),
) as { readonly [Name in Kind as Uppercase<ReplaceDashes<Name>>]: Name };

type ReplaceDashes<Name extends string> = Name extends `${infer Before}-${infer After}`
  ? ReplaceDashes<`${Before}_${After}`>
  : Name;

/** The properties of an added receiver: the keys of `receivers` in lookout.yaml, without a secret. */
export interface ReceiverOptions {
  /** {@link ReceiverKind} */
  readonly kind: Kind;
  /** The registry, for senders that do not name it. */
  readonly registry?: string;
  /** @default - the stack creates a secret with a random password */
  readonly secret?: ISecret | Secret;
}

/** An added receiver. */
export interface AddedReceiver {
  /** The URL for the registry. */
  readonly url: string;
  /** The secret that the registry sends. */
  readonly secret: ISecret | Secret;
}

/** AWS limits all variables of a function to 4 KB together. */
const mostCharacters = 3_000;

/** The receivers beside those of the settings. The function of webhooks gets them as a variable. */
export class AddedReceivers extends Construct {
  private readonly all: ReceiverConfiguration[] = [];
  private readonly fn: Startable;
  private readonly key: IKey | undefined;
  private readonly known: Set<string>;
  private readonly onFirst: () => void;

  /** @param onFirst - routes webhooks to the function, unless the settings have receivers */
  constructor(
    scope: Construct,
    id: string,
    {
      fn,
      key,
      known,
      onFirst,
    }: {
      readonly fn: Startable;
      readonly key: IKey | undefined;
      readonly known: readonly string[];
      readonly onFirst: () => void;
    },
  ) {
    super(scope, id);
    this.fn = fn;
    this.key = key;
    this.known = new Set(known);
    this.onFirst = onFirst;
  }

  /** Adds a receiver, and returns its secret. */
  add(name: string, { secret: own, ...options }: ReceiverOptions): ISecret | Secret {
    if (this.known.has(name)) Annotations.of(this).addError(`the receiver ${name} exists already`);
    // The ARN of the secret is known at the deployment, so the check gets another name.
    const [receiver] = checked(this, { receivers: [{ name, ...options, secretId: "added" }] }).receivers;
    const secret = own ?? this.newSecret(name);
    if (receiver === undefined || this.known.has(name)) return secret;
    this.known.add(name);
    if (this.all.length === 0) this.begin();
    this.all.push({ ...receiver, secretId: secret.secretArn });
    secret.grantRead(this.fn);
    return secret;
  }

  private begin(): void {
    this.onFirst();
    const written = () => Stack.of(this).toJsonString(this.all);
    this.fn.tell(environment.addedReceivers, Lazy.string({ produce: written }));
    this.node.addValidation({
      validate: () =>
        JSON.stringify(this.all).length > mostCharacters
          ? ["the added receivers take more than 3,000 characters: name some of them in lookout.yaml"]
          : [],
    });
  }

  private newSecret(name: string): Secret {
    const secret = new Secret(this, `Secret-${name}`, {
      description: `The secret of Lookout's receiver ${name}`,
      generateSecretString: { excludePunctuation: true, passwordLength: 40 },
      ...(this.key === undefined ? {} : { encryptionKey: this.key }),
    });
    Validations.of(secret).acknowledge({
      id: "AwsSolutions-SMG4",
      reason: "The registry has the same secret, so nothing can rotate it alone",
    });
    return secret;
  }
}
