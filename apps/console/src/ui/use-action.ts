import { useCallback, useState } from 'preact/hooks';

/** A change that the person asks for. It runs once at a time. */
export type Action = Readonly<{
  busy: boolean;
  error?: unknown;
  run: (work: () => Promise<unknown>) => Promise<boolean>;
}>;

/** Runs changes and keeps the last error. `run` resolves to whether the change succeeded. */
export function useAction(): Action {
  const [state, setState] = useState<Readonly<{ busy: boolean; error?: unknown }>>({ busy: false });
  const run = useCallback(async (work: () => Promise<unknown>) => {
    setState({ busy: true });
    try {
      await work();
      setState({ busy: false });
      return true;
    } catch (error) {
      setState({ busy: false, error });
      return false;
    }
  }, []);
  return { ...state, run };
}
