/** Whether the store answers; throws an error that says what is missing. For readiness, so it is cheap and bounded. */
export abstract class StoreCheck {
  abstract run(): Promise<void>;
}
