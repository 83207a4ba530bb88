/**
 * A fact, past tense, never edited. `type` and `v` (schema version) are stable for ever; `data` is free to be copied to
 * read models and public events; `sealed` holds secrets in sealed form (see the security library) and never leaves the store.
 */
export type DomainEvent<
  Type extends string = string,
  Data extends object = object,
  Sealed extends Readonly<Record<string, string>> | undefined = Readonly<Record<string, string>> | undefined,
> = Readonly<{ type: Type; v: number; data: Readonly<Data> }> &
  (Sealed extends undefined ? { readonly sealed?: undefined } : { readonly sealed: Sealed });

/** An event in the shape in which it was stored, of any schema version. */
export type StoredEvent = Readonly<{
  type: string;
  v: number;
  data: Readonly<Record<string, unknown>>;
  sealed?: Readonly<Record<string, string>>;
}>;
