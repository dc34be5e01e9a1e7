#!/bin/bash
# A search on the nodes of a Slurm job:  sbatch examples/cluster/slurm.sh model.pml
#
# One Ray worker per node; Quorbit runs on the first node and joins them.  The checkpoint is on a disk that all nodes see;
# a job that is requeued goes on from it, also with another number of nodes.
#SBATCH --job-name=quorbit
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=24:00:00
#SBATCH --requeue
set -euo pipefail

model=$1
checkpoint=${CHECKPOINT:-$SLURM_SUBMIT_DIR/quorbit-$SLURM_JOB_ID}
port=${RAY_PORT:-6379}
export RAY_USAGE_STATS_ENABLED=0

mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
head=$(srun --nodes=1 --ntasks=1 -w "${nodes[0]}" hostname --ip-address | awk '{print $1}')
export RAY_ADDRESS=$head:$port

srun --nodes=1 --ntasks=1 -w "${nodes[0]}" --overlap \
  ray start --head --node-ip-address="$head" --port="$port" --num-cpus="$SLURM_CPUS_PER_TASK" --include-dashboard=false --block &
sleep 20
if [ "${#nodes[@]}" -gt 1 ]; then
  srun --nodes=$((${#nodes[@]} - 1)) --ntasks=$((${#nodes[@]} - 1)) --exclude="${nodes[0]}" --overlap \
    ray start --address="$RAY_ADDRESS" --num-cpus="$SLURM_CPUS_PER_TASK" --block &
  sleep 20
fi

# --resume begins anew where there is no checkpoint yet
srun --nodes=1 --ntasks=1 -w "${nodes[0]}" --overlap \
  quorbit check "$model" --cluster auto --workers $((${#nodes[@]} * SLURM_CPUS_PER_TASK)) --resume "$checkpoint" --json
