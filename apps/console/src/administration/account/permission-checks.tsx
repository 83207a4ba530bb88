import { t } from '../../texts/texts.js';
import { Check } from '../../ui/form.js';
import { isPermitted, PERMISSIONS, withPermission } from '../../ui/permissions.js';

type PermissionChecksProps = Readonly<{ bits: number; onChange: (bits: number) => void }>;

/** The permissions of an account as check boxes. Bits without a name stay. */
export function PermissionChecks({ bits, onChange }: PermissionChecksProps) {
  return (
    <fieldset>
      <legend>{t.profile.rights}</legend>
      <div class="checks">
        {PERMISSIONS.map((each) => (
          <Check
            key={each}
            label={t.permissions[each]}
            checked={isPermitted(bits, each)}
            onChange={(given) => onChange(withPermission(bits, each, given))}
          />
        ))}
      </div>
    </fieldset>
  );
}
