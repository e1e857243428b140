/** Rights on the API of an installation, for people and programs. */
import { Grant, type IGrantable } from "aws-cdk-lib/aws-iam";
import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";

/** The limits of a right to decide about updates. */
export interface ApproveOptions {
  /** `cluster/namespace`, where `*` stands for any. @default - all namespaces */
  readonly namespaces?: readonly string[];
}

/** The decisions about updates, as ends of paths below a workload. */
const decisions = ["approval", "rejection", "approval-request"];

/** What only readers of everything need: the state with its evidence, and the live settings. */
const reads = ["GET/v1/*"];
const readsOfApprovers = ["GET/v1/me", "GET/v1/approvals", "GET/v1/workloads", "GET/v1/workloads/*"];

/** Lets a grantee read everything that the API shows. */
export function grantRead(api: HttpApi, grantee: IGrantable): Grant {
  return grantPaths(api, grantee, reads);
}

/** Lets a grantee do everything that the API can: also freeze, import and register clusters. */
export function grantOperate(api: HttpApi, grantee: IGrantable): Grant {
  return grantPaths(api, grantee, ["*/v1/*"]);
}

/**
 * Lets a grantee read, and decide about updates of some namespaces. `people` and `approvers` of
 * lookout.yaml decide whose votes count.
 */
export function grantApprove(api: HttpApi, grantee: IGrantable, { namespaces = ["*/*"] }: ApproveOptions = {}): Grant {
  const votes = namespaces.flatMap((place) => decisions.map((what) => `POST/v1/workloads/${place}/*/${what}`));
  return grantPaths(api, grantee, [...readsOfApprovers, ...votes]);
}

function grantPaths(api: HttpApi, grantee: IGrantable, paths: readonly string[]): Grant {
  const resourceArns = paths.map((path) =>
    api.stack.formatArn({
      service: "execute-api",
      resource: api.apiId,
      resourceName: `$default/${path}`,
    }),
  );
  return Grant.addToPrincipal({ grantee, actions: ["execute-api:Invoke"], resourceArns });
}
