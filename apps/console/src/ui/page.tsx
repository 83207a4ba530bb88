import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Problem } from './problem.js';
import type { Loaded } from './use-load.js';

type PageProps = Readonly<{ title: string; intro?: string; actions?: ComponentChildren; children: ComponentChildren }>;

/** A screen. Its heading gets the focus when it appears, so that screen readers announce it, unless a field of it has the focus. */
export function Page({ title, intro, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} - Keyfold`;
    if (!heading.current?.closest('main')?.contains(document.activeElement))
      heading.current?.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }, [title]);
  return (
    <>
      <header class="page">
        <h1 tabIndex={-1} ref={heading}>
          {title}
        </h1>
        {actions && <div class="buttons">{actions}</div>}
      </header>
      {intro && <p class="intro">{intro}</p>}
      {children}
    </>
  );
}

export function Section({ title, children }: Readonly<{ title: string; children: ComponentChildren }>) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

type ReadyProps<Value> = Readonly<{ of: Loaded<Value>; children: (data: Value) => ComponentChildren }>;

/** Shows a loaded value: a placeholder until it is there, an error above the last one, and a bar while it is read again. */
export function Ready<Value>({ of, children }: ReadyProps<Value>) {
  const { data, error, busy } = of;
  // The row that had the focus may be gone after the list was read again.
  const focused = document.activeElement;
  useEffect(() => {
    const isLost = focused?.isConnected === false && document.activeElement === document.body;
    if (isLost) document.querySelector('h1')?.focus({ preventScroll: true });
  });
  return (
    <>
      <Problem error={error} />
      {busy && data !== undefined && <div class="reading" />}
      {data === undefined ? error === undefined && <div class="loading" aria-busy="true" /> : children(data)}
    </>
  );
}
