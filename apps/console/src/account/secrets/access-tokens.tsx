import { get, post } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import { ADMINISTRATOR, current } from '../../api/session.js';
import { t, wordOf } from '../../texts/texts.js';
import { Check } from '../../ui/form.js';
import { SecretSection, type DetailsProps } from './secret-section.js';

type Scope = components['schemas']['CreateAccessTokenRequest']['scopes'][number];
type Scopes = readonly Scope[];

/** Who can give each scope to a token. */
const GIVEN_BY: Readonly<Record<Scope, 'everybody' | 'administrators'>> = {
  'profile:read': 'everybody',
  'activity:read': 'everybody',
  'keys:manage': 'everybody',
  files: 'everybody',
  'accounts:read': 'administrators',
  'accounts:manage': 'administrators',
  'accounts:audit': 'administrators',
  'settings:read': 'administrators',
  'keys:find': 'administrators',
  'keys:look-up': 'administrators',
  'logins:verify': 'administrators',
};

export const AccessTokens = () => (
  <SecretSection
    texts={t.secrets.tokens}
    read={(signal) => get('/api/me/tokens', { signal })}
    create={async (scopes: Scopes, common) =>
      (await post('/api/me/tokens', { body: { ...common, scopes: [...scopes] } })).token
    }
    revoke={(id) => post('/api/me/tokens/revoke', { body: { id } })}
    details={{
      cell: ({ scopes }) => scopes.map((each) => wordOf(t.words, each)).join(', '),
      start: [],
      Fields: ScopeFields,
    }}
    isComplete={(scopes) => scopes.length > 0}
  />
);

function ScopeFields({ value, onInput }: DetailsProps<Scopes>) {
  const isAdministrator = current.value?.role === ADMINISTRATOR;
  const all = Object.keys(GIVEN_BY) as Scope[];
  return (
    <fieldset>
      <legend>{t.secrets.tokens.details}</legend>
      {all
        .filter((scope) => isAdministrator || GIVEN_BY[scope] === 'everybody')
        .map((scope) => (
          <Check
            key={scope}
            label={wordOf(t.words, scope)}
            checked={value.includes(scope)}
            onChange={(isGiven) => onInput(all.filter((each) => (each === scope ? isGiven : value.includes(each))))}
          />
        ))}
    </fieldset>
  );
}
