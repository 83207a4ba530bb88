import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { atoi, type QueryParameters } from '@keyfold/http-envelope';

/** Documents the choice of groups (wire contract 2.8). */
export const ApiGroups = () =>
  applyDecorators(
    ApiQuery({ name: 'group', required: false, schema: { type: 'integer' }, description: 'A group.' }),
    ApiQuery({
      name: 'groups',
      required: false,
      description: 'Groups separated by commas. The parameter `group` is then ignored.',
    }),
  );

/**
 * Returns the groups that the query chooses, or undefined if it chooses none.
 *
 * @throws Refusal 400 for a group that is not an integer.
 */
export function groupsOf(query: QueryParameters): number[] | undefined {
  const groups = query.get('groups');
  if (groups) return groups.split(',').map(atoi);
  const group = query.get('group');
  return group ? [atoi(group)] : undefined;
}
