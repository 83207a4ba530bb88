/**
 * A fact in the past tense, which is never edited. `type` and `v`, the schema version, never change. `data` may be copied to read models
 * and public events. `sealed` contains sealed secrets (see the security library) and never leaves the store.
 */
export type DomainEvent<
  Type extends string = string,
  Data extends object = object,
  Sealed extends Readonly<Record<string, string>> | undefined = Readonly<Record<string, string>> | undefined,
> = Readonly<{ type: Type; v: number; data: Readonly<Data> }> &
  (Sealed extends undefined ? { readonly sealed?: undefined } : { readonly sealed: Sealed });

/** An event as it was stored, in any schema version. */
export type StoredEvent = Readonly<{
  type: string;
  v: number;
  data: Readonly<Record<string, unknown>>;
  sealed?: Readonly<Record<string, string>>;
}>;
