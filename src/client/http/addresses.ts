/**
 * Recognises addresses outside the public internet, and resolves names without them. The check is on the address that is connected to,
 * so a name that changes its answer in between is checked too.
 */
import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { FettleError } from '../../errors.ts'

// IANA special-purpose registries: this network, private, shared, loopback, link-local, documentation, benchmarks, multicast.
const V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]
const V6: readonly (readonly [string, number])[] = [
  ['::', 96],
  ['100::', 64],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
]

const blocked = new BlockList()
for (const [net, prefix] of V4) {
  blocked.addSubnet(net, prefix, 'ipv4')
  // The same addresses, mapped and translated (NAT64).
  blocked.addSubnet(`::ffff:${net}`, 96 + prefix, 'ipv6')
  blocked.addSubnet(`64:ff9b::${net}`, 96 + prefix, 'ipv6')
}
for (const [net, prefix] of V6) blocked.addSubnet(net, prefix, 'ipv6')

/** Whether an IP address is not a public one; any other text counts as not public. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  return family === 0 || blocked.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** As `dns.lookup`, but FETTLE_FILE_LINK when any address of the host is not public. */
export const lookupPublic: LookupFunction = (hostname, options, answer) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return answer(error, '')
    const bad = addresses.find(one => isPrivateAddress(one.address))
    const why = `The link names the host ${hostname}, whose address is not a public one.`
    if (bad !== undefined) return answer(new FettleError('FETTLE_FILE_LINK', why), '')
    if (options.all === true) return answer(null, addresses)
    const [first] = addresses
    answer(null, first?.address ?? '', first?.family)
  })
}
