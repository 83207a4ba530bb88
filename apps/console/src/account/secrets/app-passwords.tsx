import { get, post } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import { t, wordOf } from '../../texts/texts.js';
import { Choice } from '../../ui/form.js';
import { SecretSection, type DetailsProps } from './secret-section.js';

type Protocol = components['schemas']['CreateAppPasswordRequest']['protocol'];
const PROTOCOLS: readonly Protocol[] = ['webdav', 'sftp', 'ftp', 'any', 'web'];

export const AppPasswords = () => (
  <SecretSection
    texts={t.secrets.appPasswords}
    read={(signal) => get('/api/me/app_passwords', { signal })}
    create={async (protocol: Protocol, common) =>
      (await post('/api/me/app_passwords', { body: { ...common, protocol } })).password
    }
    revoke={(id) => post('/api/me/app_passwords/revoke', { body: { id } })}
    details={{ cell: ({ protocol }) => wordOf(t.words, protocol), start: 'webdav', Fields: ProtocolField }}
    isComplete={() => true}
  />
);

const ProtocolField = ({ value, onInput }: DetailsProps<Protocol>) => (
  <Choice
    label={t.secrets.appPasswords.details}
    value={value}
    onChange={(chosen) => onInput(chosen as Protocol)}
    choices={PROTOCOLS.map((each) => [each, wordOf(t.words, each)])}
  />
);
