/** Checks for readiness whether the store is available. `run` is cheap and bounded in time, and throws an error that names the problem. */
export abstract class StoreCheck {
  abstract run(): Promise<void>;
}
