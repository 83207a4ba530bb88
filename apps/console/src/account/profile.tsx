import { useState } from 'preact/hooks';
import { post, refreshAccount } from '../api/client.js';
import { current } from '../api/session.js';
import { t } from '../texts/texts.js';
import { Confirm } from '../ui/dialog.js';
import { Field, Form } from '../ui/form.js';
import { Page, Section } from '../ui/page.js';
import { useAction } from '../ui/use-action.js';

/** The signed-in account: its name, its folder and what it may do. */
export default function Profile() {
  const { username, base_path: folder } = current.value!;
  return (
    <Page title={t.profile.title} intro={t.profile.intro}>
      <dl>
        <dt>{t.profile.name}</dt>
        <dd>{username}</dd>
        <dt>{t.profile.folder}</dt>
        <dd>
          <code>{folder}</code>
        </dd>
      </dl>
      <Section title={t.profile.rename}>
        <Rename />
      </Section>
    </Page>
  );
}

function Rename() {
  const { username, sso_id } = current.value!;
  const [name, setName] = useState(username);
  const [asking, setAsking] = useState(false);
  const action = useAction();
  const rename = async () => {
    await post('/api/me/update', { body: { username: name, sso_id } });
    // The old token names the former name. The person signs in again under the new one.
    current.value = { ...current.value!, username: name };
    await refreshAccount();
  };
  return (
    <>
      <Form
        action={action}
        submit={t.profile.rename}
        idle={name === username || !name}
        onSubmit={() => setAsking(true)}
      >
        <Field label={t.profile.name} value={name} onInput={setName} required />
      </Form>
      {asking && (
        <Confirm title={t.profile.rename} submit={t.profile.rename} onConfirm={rename} onClose={() => setAsking(false)}>
          <p>{t.profile.nameConsequence}</p>
        </Confirm>
      )}
    </>
  );
}
