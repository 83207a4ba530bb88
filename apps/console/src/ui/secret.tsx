import { useState } from 'preact/hooks';
import { t } from '../texts/texts.js';

/** Shows a secret with a button that copies it. Without HTTPS, browsers offer no clipboard, and the person copies it by hand. */
export function Secret({ label, text, shown = text }: Readonly<{ label: string; text: string; shown?: string }>) {
  return (
    <div class="secret">
      <pre tabIndex={0} aria-label={label}>
        {shown}
      </pre>
      <Copy text={text} />
    </div>
  );
}

function Copy({ text }: Readonly<{ text: string }>) {
  const [copied, setCopied] = useState(false);
  if (!window.isSecureContext) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <button type="button" onClick={() => void copy()}>
      <span role="status">{copied ? t.common.copied : t.common.copy}</span>
    </button>
  );
}
