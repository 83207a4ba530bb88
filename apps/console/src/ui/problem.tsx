import { useEffect, useState } from 'preact/hooks';
import { Refusal, Unreachable } from '../api/client.js';
import { t } from '../texts/texts.js';

/** Shows an error: the service's own words for a refusal, and the seconds to wait if it gave any. */
export function Problem({ error }: Readonly<{ error?: unknown }>) {
  if (error === undefined) return null;
  return (
    <div class="notice bad" role="alert">
      <p>{messageOf(error)}</p>
      {error instanceof Refusal && error.retryAfter !== undefined && (
        <Countdown key={error} seconds={error.retryAfter} />
      )}
    </div>
  );
}

/** Says that a change was saved. */
export const Saved = () => (
  <p class="notice good" role="status">
    {t.common.saved}
  </p>
);

export function messageOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  return error instanceof Unreachable ? t.problems.unreachable : t.problems.unexpected;
}

function Countdown({ seconds }: Readonly<{ seconds: number }>) {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    // Timers stand still while a computer sleeps.
    const over = Date.now() + seconds * 1_000;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((over - Date.now()) / 1_000))), 1_000);
    return () => clearInterval(timer);
  }, []);
  return <p aria-live={left > 0 ? 'off' : 'polite'}>{left > 0 ? t.problems.wait(left) : t.problems.waitOver}</p>;
}
