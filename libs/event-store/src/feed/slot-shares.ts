import { hash } from 'node:crypto';

/**
 * Distributes the slots over the members. All processes that know the same members compute the same shares. Sizes differ by at most one,
 * and a member that joins or leaves moves few slots other than its own.
 *
 * Bounded rendezvous hashing: each pair of slot and member has a score, and the best pairs are matched first.
 */
export function slotShares(members: readonly string[], slots: number): Map<string, number[]> {
  const shares = new Map(members.map((member) => [member, [] as number[]]));
  const size = Math.floor(slots / shares.size);
  let larger = slots % shares.size;
  const taken = new Set<number>();
  for (const { slot, member } of byScore([...shares.keys()], slots)) {
    const share = shares.get(member) ?? [];
    if (taken.has(slot) || share.length > size || (share.length === size && larger === 0)) continue;
    if (share.length === size) larger--;
    share.push(slot);
    taken.add(slot);
  }
  return shares;
}

function byScore(members: readonly string[], slots: number) {
  const pairs = members.flatMap((member) =>
    Array.from({ length: slots }, (_, slot) => ({ slot, member, score: hash('sha256', `${slot}/${member}`) })),
  );
  return pairs.toSorted((left, right) => (left.score < right.score ? -1 : 1));
}
