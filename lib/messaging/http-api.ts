/** The HTTP API for registries and users. */
import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import {
  HttpApi,
  type IDomainName,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpStage,
  LogGroupLogDestination,
  type IHttpRouteAuthorizer,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpIamAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { operationsInCluster } from "#contracts/api/operations";
import type { Route } from "#contracts/routes";
import type { Startable } from "../shared/grantee.ts";

type HttpTrigger = Extract<Route["trigger"], { readonly kind: "http" }>;

/**
 * The rate limit and the burst limit of each route. A registry sends one request per push, and
 * repeats rejected requests.
 */
const throttle = { rateLimit: 50, burstLimit: 100 };

/** The properties of the API. */
export interface LookoutHttpApiProps {
  /** The retention of the access log. @default - a month */
  readonly logRetention?: RetentionDays | undefined;
  /** A domain of yours, so that the URLs of webhooks survive a new API. @default - the API's address */
  readonly domain?: IDomainName | undefined;
}

/** An HTTP API with throttled routes and an access log. */
export class LookoutHttpApi extends Construct {
  readonly api: HttpApi;
  readonly accessLog: LogGroup;

  private readonly domain: IDomainName | undefined;

  constructor(scope: Construct, id: string, { logRetention, domain }: LookoutHttpApiProps = {}) {
    super(scope, id);
    this.domain = domain;
    this.api = new HttpApi(this, "Api", { description: "Lookout: webhooks and /v1", createDefaultStage: false });
    this.accessLog = new LogGroup(this, "AccessLog", {
      // For other names, AWS appends the ARN to a resource policy, whose size is limited for the whole
      // account. The address differs for each logical id, so a new log never has the old one's name.
      logGroupName: `/aws/vendedlogs/${Stack.of(this).stackName}-AccessLog-${this.node.addr.slice(-8)}`,
      retention: logRetention ?? RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    new HttpStage(this, "Stage", {
      httpApi: this.api,
      stageName: "$default",
      autoDeploy: true,
      throttle,
      ...(domain === undefined ? {} : { domainMapping: { domainName: domain } }),
      accessLogSettings: { destination: new LogGroupLogDestination(this.accessLog), format: accessLogFormat },
    });
  }

  /** The base URL of all routes, without a slash at the end. */
  get url(): string {
    return this.domain === undefined ? this.api.apiEndpoint : `https://${this.domain.name}`;
  }

  /** Routes requests to a function. All routes except webhooks need a permission of IAM. */
  route(fn: Startable, trigger: HttpTrigger): void {
    const authorizer = authorizerOf(fn.route);
    const integration = new HttpLambdaIntegration(`${fn.node.id}-integration`, fn.lambda);
    const methods = trigger.methods.map((method) => HttpMethod[method]);
    this.api.addRoutes({ path: pathOf(trigger), methods, integration, authorizer });
    for (const { network, lambda } of fn.placed) {
      // One permission covers all routes, because a function's policy has room for about forty
      // permissions. Each cluster has two routes.
      const there = new HttpLambdaIntegration(`${fn.node.id}-${network.vpc}-integration`, lambda, {
        scopePermissionToRoute: false,
      });
      for (const { method, path } of network.clusters.flatMap(routesOfCluster))
        this.api.addRoutes({ path, methods: [method], integration: there, authorizer });
    }
  }
}

/** Returns the API's routes for one cluster. An HTTP API prefers the more specific path. */
function routesOfCluster(cluster: string): readonly { readonly method: HttpMethod; readonly path: string }[] {
  return operationsInCluster.map(({ method, path }) => ({
    method: method === "get" ? HttpMethod.GET : HttpMethod.POST,
    path: path.replace("{cluster}", cluster),
  }));
}

function authorizerOf({ reaches }: Route): IHttpRouteAuthorizer {
  return reaches.includes("receivers") ? new HttpNoneAuthorizer() : new HttpIamAuthorizer();
}

/** Returns the path as API Gateway writes it: `/webhooks/{receiver}`, `/v1/{proxy+}`. */
function pathOf({ path }: HttpTrigger): string {
  return path.replaceAll(/:(\w+)/g, "{$1}").replace(/\*$/, "{proxy+}");
}

/**
 * The format of the access log. The access log omits bodies, headers and queries, which may contain
 * secrets.
 */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: "$context.requestId",
    requestTime: "$context.requestTime",
    sourceIp: "$context.identity.sourceIp",
    caller: "$context.identity.userArn",
    method: "$context.httpMethod",
    route: "$context.routeKey",
    path: "$context.path",
    status: "$context.status",
    responseLatency: "$context.responseLatency",
    integrationError: "$context.integrationErrorMessage",
  }),
);
