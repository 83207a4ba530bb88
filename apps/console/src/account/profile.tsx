import { useState } from 'preact/hooks';
import { get, post, renewSession } from '../api/client.js';
import { current } from '../api/session.js';
import { t } from '../texts/texts.js';
import { Confirm } from '../ui/dialog.js';
import { Field, Form } from '../ui/form.js';
import { Page, Section } from '../ui/page.js';
import { permissionsIn, roleName } from '../ui/permissions.js';
import { BASE } from '../ui/router.js';
import { useAction } from '../ui/use-action.js';

/** The signed-in account: its name, its folder and what it may do. */
export default function Profile() {
  const { id, username, role, otp, sso_id, base_path: folder, permission } = current.value!;
  return (
    <Page title={t.profile.title} intro={t.profile.intro}>
      <dl>
        <dt>{t.profile.name}</dt>
        <dd>{username}</dd>
        <dt>{t.profile.id}</dt>
        <dd>{id}</dd>
        <dt>{t.profile.role}</dt>
        <dd>{roleName(role)}</dd>
        <dt>{t.profile.twoFactor}</dt>
        <dd>
          {otp ? t.profile.on : t.profile.off} · <a href={`${BASE}/security`}>{t.profile.toSecurity}</a>
        </dd>
        {sso_id && (
          <>
            <dt>{t.profile.ssoId}</dt>
            <dd>
              <code>{sso_id}</code>
            </dd>
          </>
        )}
        <dt>{t.profile.folder}</dt>
        <dd>
          <code>{folder}</code>
        </dd>
        <dt>{t.profile.rights}</dt>
        <dd>
          <Permissions bits={permission} />
        </dd>
      </dl>
      <Section title={t.profile.rename}>
        <Rename />
      </Section>
    </Page>
  );
}

function Permissions({ bits }: Readonly<{ bits: number }>) {
  const given = permissionsIn(bits);
  if (given.length === 0) return t.profile.noRights;
  return (
    <ul class="tags">
      {given.map((each) => (
        <li key={each} class="tag">
          {t.permissions[each]}
        </li>
      ))}
    </ul>
  );
}

function Rename() {
  const { username } = current.value!;
  const [name, setName] = useState('');
  const [asking, setAsking] = useState(false);
  const action = useAction();
  const rename = async () => {
    // The route sets it, and an administrator may have changed it.
    const { sso_id } = await get('/api/me');
    await post('/api/me/update', { body: { username: name, sso_id } });
    // The old token names the former name. The person signs in again under the new one.
    current.value = { ...current.value!, username: name };
    await renewSession(t.profile.renamed);
    setName('');
  };
  return (
    <>
      <Form
        action={action}
        submit={t.profile.rename}
        idle={name === username || !name}
        onSubmit={() => setAsking(true)}
      >
        <Field label={t.profile.newName} hint={t.profile.nameConsequence} value={name} onInput={setName} required />
      </Form>
      {asking && (
        <Confirm
          title={t.profile.renameTo(name)}
          submit={t.profile.rename}
          onConfirm={rename}
          onClose={() => setAsking(false)}
        >
          <p>{t.profile.nameConsequence}</p>
        </Confirm>
      )}
    </>
  );
}
