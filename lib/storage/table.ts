/** The table, which holds all state. */
import { Annotations, RemovalPolicy } from "aws-cdk-lib";
import {
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  type ITableV2,
  TableEncryptionV2,
  TableV2,
} from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import { environment } from "#contracts/aws/environment";
import { tableShape } from "#contracts/aws/table";
import type { Grantee } from "../shared/grantee.ts";

const { dueIndex, expiryAttribute, partitionKey, sortKey } = tableShape;
const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The actions of the adapters. Scan is not allowed, because each list has its own partition. */
const rights = {
  read: ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"],
  write: ["BatchWriteItem", "ConditionCheckItem", "DeleteItem", "PutItem", "UpdateItem"].map(
    (action) => `dynamodb:${action}`,
  ),
  tiers: ["dynamodb:Query"],
  tell: ["GetItem", "PutItem", "Query"].map((action) => `dynamodb:${action}`),
  derive: ["BatchGetItem", "DeleteItem", "GetItem", "PutItem"].map((action) => `dynamodb:${action}`),
  key: ["kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey"],
};

/** The properties of the table. */
export interface LookoutTableProps {
  /** An existing table, for example one that was restored from a backup. @default - a new table */
  readonly restored?: ITableV2 | undefined;
  /** The key of a new table. @default - a key of DynamoDB */
  readonly key?: IKey | undefined;
}

/**
 * The table of an installation. The table outlives the stack, because nothing else stores the
 * blocked digests, the approvals and the freezes.
 *
 * The table is protected against deletion. So the policy is not `RetainExceptOnCreate`: after a failed
 * first deployment, CloudFormation would fail to delete the protected table, and the roll-back would
 * fail too. The table left by that deployment is empty, costs nothing, and is in nobody's way, because
 * its name is generated.
 */
export class LookoutTable extends Construct {
  readonly table: ITableV2 | TableV2;
  private readonly key: IKey | undefined;

  constructor(scope: Construct, id: string, { restored, key }: LookoutTableProps = {}) {
    super(scope, id);
    this.key = restored === undefined ? key : restored.encryptionKey;
    this.table = restored ?? this.newTable();
    if (this.table.tableStreamArn === undefined)
      Annotations.of(this).addError(
        "the table has no stream: enable its stream with new images, and name tableStreamArn (docs/restore.md)",
      );
  }

  private newTable(): TableV2 {
    return new TableV2(this, "Table", {
      partitionKey: text(partitionKey),
      sortKey: text(sortKey),
      globalSecondaryIndexes: [
        {
          indexName: dueIndex.name,
          partitionKey: text(dueIndex.partitionKey),
          sortKey: text(dueIndex.sortKey),
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      billing: Billing.onDemand(),
      timeToLiveAttribute: expiryAttribute,
      dynamoStream: StreamViewType.NEW_IMAGE,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
      ...(this.key === undefined ? {} : { encryption: TableEncryptionV2.customerManagedKey(this.key) }),
    });
  }

  /**
   * Lets a function read items and list overdue records, and sets the variable with the table's
   * name.
   */
  grantRead(fn: Grantee): void {
    const { tableArn, tableName } = this.table;
    fn.tell(environment.table, tableName);
    fn.allow(rights.read, [tableArn]);
    this.grantKey(fn);
    fn.allow(["dynamodb:Query"], [`${tableArn}/index/${dueIndex.name}`]);
  }

  /** Does {@link grantRead}, and lets the function write items. */
  grantReadWrite(fn: Grantee): void {
    this.grantRead(fn);
    fn.allow(rights.write, [this.table.tableArn]);
  }

  /**
   * Lets a function write derived items, and read items whose keys it knows. Sets the variable with the
   * table's name.
   */
  grantDerive(fn: Grantee): void {
    fn.tell(environment.table, this.table.tableName);
    fn.allow(rights.derive, [this.table.tableArn]);
    this.grantKey(fn);
  }

  /**
   * Lets a function store what channels were told, and read the decisions that it tells. Sets the
   * variable with the table's name.
   */
  grantTold(fn: Grantee): void {
    fn.tell(environment.table, this.table.tableName);
    fn.allow(rights.tell, [this.table.tableArn]);
    this.grantKey(fn);
  }

  /** Lets a function list the members of tiers. Sets the variable with the table's name. */
  grantTiers(fn: Grantee): void {
    fn.tell(environment.table, this.table.tableName);
    fn.allow(rights.tiers, [this.table.tableArn]);
    this.grantKey(fn);
  }

  private grantKey(fn: Grantee): void {
    if (this.key !== undefined) fn.allow(rights.key, [this.key.keyArn]);
  }

  /** The ARN of the table's stream. */
  get streamArn(): string {
    return this.table.tableStreamArn ?? `${this.table.tableArn}/stream/none`;
  }

  /** Lets a function read the stream. */
  grantReadStream(fn: Grantee): void {
    fn.allow(["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"], [this.streamArn]);
    fn.allowMatching(["dynamodb:ListStreams"], ["*"], "accountWide");
  }
}
