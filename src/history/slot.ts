/** Organization names hold no such character. */
const SEPARATOR = '#';

/** Where what an organization's name no longer stands for is kept: beside the name, by the platform's identifier. */
export function slotOf(org: string, orgId: string): string {
  return `${org}${SEPARATOR}${orgId}`;
}

/** The name of the organization to which a slot belongs; a name is the slot of what it stands for at present. */
export function nameOf(slot: string): string {
  const end = slot.indexOf(SEPARATOR);
  return end < 0 ? slot : slot.slice(0, end);
}
