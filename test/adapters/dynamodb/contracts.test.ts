import { afterAll } from "vitest";
import { dynamoContracts } from "./contracts.ts";
import { startEngine, withEngine } from "./engine.ts";

withEngine(await startEngine(), (engine) => {
  afterAll(engine.stop);
  dynamoContracts(() => engine);
});
