// The labels with a colour each: one range of hues a family.

const FAMILIES = [
  [['GIVEN_NAME', 'SURNAME', 'DATE_OF_BIRTH'], 205, 14],
  [['EMAIL', 'PHONE', 'URL', 'IP_ADDRESS'], 120, 18],
  [['BUILDING_NUMBER', 'STREET_NAME', 'SECONDARY_ADDRESS', 'CITY', 'STATE', 'ZIP_CODE'], 18, 8],
  [['SSN', 'TAX_ID', 'GOVERNMENT_ID', 'PASSPORT', 'DRIVERS_LICENSE'], 255, 9],
  [['CREDIT_CARD', 'BANK_ACCOUNT', 'ROUTING_NUMBER'], 312, 10],
  [['SECRET'], 350, 0],
];

/** Label to hue. */
export const HUES = new Map(FAMILIES.flatMap(([labels, hue, step]) => labels.map((label, i) => [label, hue + i * step])));

/** `GIVEN_NAME` to `given name`. */
export const spoken = (label) => ({ URL: 'URL', IP_ADDRESS: 'IP address', SSN: 'SSN', TAX_ID: 'tax ID', GOVERNMENT_ID: 'government ID', ZIP_CODE: 'ZIP code' })[label] ?? label.toLowerCase().replaceAll('_', ' ');
