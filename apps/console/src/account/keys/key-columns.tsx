import type { ComponentChildren } from 'preact';
import type { components } from '../../api/openapi.js';
import { t } from '../../texts/texts.js';
import { Expiry, Time } from '../../ui/time.js';

export type SshKey = components['schemas']['SshKeyResponse'];

/** The columns of a list of keys. `buttons` are those of a key. */
export const keyColumns = (buttons: (key: SshKey) => ComponentChildren) => [
  { title: t.keys.name, cell: ({ title }: SshKey) => title },
  {
    title: t.keys.fingerprint,
    cell: ({ fingerprint, type, bits }: SshKey) => (
      <>
        <code>{fingerprint}</code>
        <p class="hint">{t.keys.kind(type, bits)}</p>
      </>
    ),
  },
  { title: t.keys.addedAt, cell: ({ added_time: at }: SshKey) => <Time at={at} /> },
  {
    title: t.keys.lastUsed,
    // compat: the original has no other way to say that a key was never used.
    cell: ({ added_time: added, last_used_time: used }: SshKey) => <Time at={used === added ? null : used} />,
  },
  {
    title: t.keys.expires,
    cell: ({ expires_time: at, expired }: SshKey) => <Expiry at={at} isOver={expired} />,
  },
  { title: '', cell: (key: SshKey) => <div class="buttons">{buttons(key)}</div> },
];
