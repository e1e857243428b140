import { startControlPlane } from "./control-plane.ts";
import { programPath } from "./programs.ts";
import { startRegistry } from "./registry.ts";

/** The address of a webhook for the registry's notifications. */
const [notifyUrl] = process.argv.slice(2);

const [controlPlane, registry] = await Promise.all([
  startControlPlane(),
  startRegistry(notifyUrl === undefined ? {} : { notify: { url: notifyUrl } }),
]);

console.log(`export KUBECONFIG=${controlPlane.kubeconfig}`);
console.log(`export REGISTRY=${registry.host}`);
console.log(`export PATH=${programPath("kubectl").replace(/\/[^/]*$/, "")}:$PATH  # kubectl and crane of the test bed`);
console.log("Ctrl-C ends the test bed and deletes its data.");

await new Promise<void>((resolve) => {
  const stillRunning = setInterval(() => undefined, 60_000);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => {
      clearInterval(stillRunning);
      resolve();
    });
  }
});
await Promise.all([controlPlane.stop(), registry.stop()]);
