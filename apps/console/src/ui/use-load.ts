import { useCallback, useEffect, useState } from 'preact/hooks';

/** Something that is read from the service. `data` keeps the last answer while it is read again. */
export type Loaded<Value> = Readonly<{ data?: Value; error?: unknown; busy: boolean; reload: () => void }>;

/** Reads a value now, whenever `inputs` change, and on `reload`. An answer that comes after a newer question is dropped. */
export function useLoad<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[] = [],
): Loaded<Value> {
  const [state, setState] = useState<Readonly<{ data?: Value; error?: unknown; busy: boolean }>>({ busy: true });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const aborting = new AbortController();
    setState((before) => (before.busy ? before : { ...before, busy: true }));
    read(aborting.signal).then(
      (data) => !aborting.signal.aborted && setState({ data, busy: false }),
      (error: unknown) =>
        !aborting.signal.aborted && setState(({ data }) => ({ ...(data && { data }), error, busy: false })),
    );
    return () => aborting.abort();
  }, [round, ...inputs]);
  return { ...state, reload: useCallback(() => setRound((number) => number + 1), []) };
}
