package doctor

import "syscall"

// networkKinds has the magic numbers of file systems that other machines use too.
var networkKinds = map[int64]string{
	0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "CIFS", 0xfe534d42: "SMB 2", 0x01021997: "9P", 0x5346414f: "AFS",
	0x73757245: "Coda", 0x00c36400: "Ceph", 0x65735546: "FUSE, which is often a network file system",
}

func diskOf(dir string) (disk, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return disk{}, false
	}
	return disk{free: int64(s.Bavail) * s.Bsize, network: networkKinds[int64(s.Type)&0xffffffff]}, true
}
