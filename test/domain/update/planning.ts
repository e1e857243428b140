import { planned } from "./decisions.ts";
import { planBack, planForward } from "#domain/update/decide/patch";
import type { ActiveUpdate, RollingBackUpdate, UnpatchedUpdate, WorkloadRecord } from "#domain/update/state/workload";
import type { LiveWorkload } from "#domain/workload/workload";
import { aChange, aLiveContainer, aRecord, digest, image, installation, noon, settingsOf } from "../builders.ts";

export const withActive = (active: ActiveUpdate, given: Partial<WorkloadRecord> = {}) =>
  aRecord({ seq: active.seq, active, ...given });
export const forward = (active: UnpatchedUpdate, live: LiveWorkload, given: Partial<WorkloadRecord> = {}) => {
  const record = withActive(active, given);
  return planned(record, planForward({ record, active, live, installation, settings: settingsOf(record), now: noon }));
};
export const back = (active: RollingBackUpdate, live: LiveWorkload, given: Partial<WorkloadRecord> = {}) => {
  const record = withActive(active, given);
  return planned(record, planBack({ record, active, live, installation, settings: settingsOf(record), now: noon }));
};
export const restartChange = aChange({ apply: "restart", tag: "1.0.0", to: image("1.0.0") });
export const sideLive = aLiveContainer({ index: 1, name: "side", image: "registry.test/shop/side:4.0.0" });
export const sideChange = aChange({
  name: "side",
  imageName: "registry.test/shop/side",
  tag: "4.1.0",
  digest: digest("5"),
  from: "registry.test/shop/side:4.0.0",
  to: "registry.test/shop/side:4.1.0",
});
