import { useState } from 'preact/hooks';
import { get } from '../api/client.js';
import type { components } from '../api/openapi.js';
import { t } from '../texts/texts.js';
import { Field, Form } from '../ui/form.js';
import { Table } from '../ui/table.js';
import { Expiry } from '../ui/time.js';
import { useAction } from '../ui/use-action.js';
import { AccountLink } from './account-link.js';

type Owner = components['schemas']['SshKeyOwnerResponse'];
type Found = Readonly<{ fingerprint: string; owners: readonly Owner[]; next: number | null }>;

/** Finds the accounts that a key lets in. */
export function KeyOwners() {
  const [fingerprint, setFingerprint] = useState('');
  const [found, setFound] = useState<Found>();
  const action = useAction();
  const find = async (wanted: string, before?: Found) => {
    const query = { fingerprint: wanted, ...(before?.next != null && { after: before.next }) };
    const { content, next } = await get('/api/admin/sshkey/find', { query });
    setFound({ fingerprint: wanted, owners: [...(before?.owners ?? []), ...content], next });
  };
  return (
    <>
      <Form
        action={action}
        submit={t.access.find}
        idle={!fingerprint.trim()}
        onSubmit={() => void action.run(() => find(fingerprint.trim()))}
      >
        <Field
          label={t.keys.fingerprint}
          hint={t.access.fingerprintHint}
          value={fingerprint}
          onInput={setFingerprint}
          required
        />
      </Form>
      {found && (
        <section>
          <Table
            caption={found.fingerprint}
            rows={found.owners}
            keyOf={({ key_id }) => key_id}
            empty={t.access.keysEmpty}
            columns={[
              { title: t.access.account, cell: (each) => <OwnerLink owner={each} /> },
              { title: t.keys.name, cell: ({ title }) => title },
              { title: t.keys.expires, cell: ({ expires_time: at, expired }) => <Expiry at={at} isOver={expired} /> },
            ]}
          />
          {found.next !== null && (
            <button type="button" onClick={() => void action.run(() => find(found.fingerprint, found))}>
              {t.access.more}
            </button>
          )}
        </section>
      )}
    </>
  );
}

const OwnerLink = ({ owner: { user_id, username, disabled } }: Readonly<{ owner: Owner }>) => (
  <>
    <AccountLink id={user_id} username={username} /> {disabled && <span class="tag">{t.access.disabled}</span>}
  </>
);
