import type { SecretPlace } from "#contracts/config/secret-places";

/** The words of a secret's place. */
export interface PlaceWords {
  /** The place in a sentence: `the parameter /lookout/builds`. */
  readonly what: string;
  readonly service: string;
  /** The command that stores the secret. */
  readonly store: string;
  /** The IAM action that tells whether the secret exists. */
  readonly right: string;
}

/** Returns the words of a place. */
export function placeWords(place: SecretPlace, region: string): PlaceWords {
  return "parameter" in place
    ? {
        what: `the parameter ${place.parameter}`,
        service: "SSM",
        store: `aws ssm put-parameter --region ${region} --type SecureString --name ${place.parameter} --value file:///dev/stdin`,
        right: "ssm:DescribeParameters",
      }
    : {
        what: `the secret ${place.secret}`,
        service: "Secrets Manager",
        store: `aws secretsmanager create-secret --region ${region} --name ${place.secret} --secret-string file:///dev/stdin`,
        right: "secretsmanager:DescribeSecret",
      };
}
