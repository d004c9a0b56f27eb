package schedule

type tmpMachine struct{ PackBytes, NonTemporalBytes, NonTemporalFrom int }

var defaultTmp = tmpMachine{16 << 10, 8 << 10, 16 << 20}
