"""Skeletons whose joints are named as others name them, or in no telling way."""

from __future__ import annotations

import numpy as np

from motionweave import Skeleton

# Each convention: its tree by indentation, and the joints expected for hips, chest, neck,
# head, then thigh, shin, ankle, toe, shoulder, upper arm, forearm, hand of the left side.
# "-" stands for a role that the convention has no joint for.
CONVENTIONS = {
    "cmu": (
        """
        Hips
          LHipJoint
            LeftUpLeg
              LeftLeg
                LeftFoot
                  LeftToeBase
          RHipJoint
            RightUpLeg
              RightLeg
                RightFoot
                  RightToeBase
          LowerBack
            Spine
              Spine1
                Neck
                  Neck1
                    Head
                LeftShoulder
                  LeftArm
                    LeftForeArm
                      LeftHand
                        LeftFingerBase
                        LThumb
                RightShoulder
                  RightArm
                    RightForeArm
                      RightHand
                        RightFingerBase
                        RThumb
        """,
        "Hips Spine1 Neck Head "
        "LeftUpLeg LeftLeg LeftFoot LeftToeBase LeftShoulder LeftArm LeftForeArm LeftHand",
    ),
    "cmu asf": (
        """
        root
          lhipjoint
            lfemur
              ltibia
                lfoot
                  ltoes
          rhipjoint
            rfemur
              rtibia
                rfoot
                  rtoes
          lowerback
            upperback
              thorax
                lowerneck
                  upperneck
                    head
                lclavicle
                  lhumerus
                    lradius
                      lwrist
                        lhand
                          lfingers
                        lthumb
                rclavicle
                  rhumerus
                    rradius
                      rwrist
                        rhand
                          rfingers
                        rthumb
        """,
        "root thorax lowerneck head lfemur ltibia lfoot ltoes lclavicle lhumerus lradius lwrist",
    ),
    "mixamo": (
        """
        mixamorig:Hips
          mixamorig:Spine
            mixamorig:Spine1
              mixamorig:Spine2
                mixamorig:Neck
                  mixamorig:Head
                    mixamorig:HeadTop_End
                mixamorig:LeftShoulder
                  mixamorig:LeftArm
                    mixamorig:LeftForeArm
                      mixamorig:LeftHand
                        mixamorig:LeftHandThumb1
                        mixamorig:LeftHandIndex1
                mixamorig:RightShoulder
                  mixamorig:RightArm
                    mixamorig:RightForeArm
                      mixamorig:RightHand
                        mixamorig:RightHandThumb1
                        mixamorig:RightHandIndex1
          mixamorig:LeftUpLeg
            mixamorig:LeftLeg
              mixamorig:LeftFoot
                mixamorig:LeftToeBase
                  mixamorig:LeftToe_End
          mixamorig:RightUpLeg
            mixamorig:RightLeg
              mixamorig:RightFoot
                mixamorig:RightToeBase
                  mixamorig:RightToe_End
        """,
        "Hips Spine2 Neck Head "
        "LeftUpLeg LeftLeg LeftFoot LeftToeBase LeftShoulder LeftArm LeftForeArm LeftHand",
    ),
    "lafan1": (
        """
        Hips
          LeftUpLeg
            LeftLeg
              LeftFoot
                LeftToe
          RightUpLeg
            RightLeg
              RightFoot
                RightToe
          Spine
            Spine1
              Spine2
                Neck
                  Head
                LeftShoulder
                  LeftArm
                    LeftForeArm
                      LeftHand
                RightShoulder
                  RightArm
                    RightForeArm
                      RightHand
        """,
        "Hips Spine2 Neck Head "
        "LeftUpLeg LeftLeg LeftFoot LeftToe LeftShoulder LeftArm LeftForeArm LeftHand",
    ),
    "bandai-namco": (
        """
        joint_Root
          Hips
            Spine
              Chest
                Neck
                  Head
                Shoulder_L
                  UpperArm_L
                    LowerArm_L
                      Hand_L
                Shoulder_R
                  UpperArm_R
                    LowerArm_R
                      Hand_R
            UpperLeg_L
              LowerLeg_L
                Foot_L
                  Toes_L
            UpperLeg_R
              LowerLeg_R
                Foot_R
                  Toes_R
        """,
        "Hips Chest Neck Head "
        "UpperLeg_L LowerLeg_L Foot_L Toes_L Shoulder_L UpperArm_L LowerArm_L Hand_L",
    ),
    "motive": (
        """
        Hip
          Ab
            Chest
              Neck
                Head
              LShoulder
                LUArm
                  LFArm
                    LHand
              RShoulder
                RUArm
                  RFArm
                    RHand
          LThigh
            LShin
              LFoot
                LToe
          RThigh
            RShin
              RFoot
                RToe
        """,
        "Hip Chest Neck Head LThigh LShin LFoot LToe LShoulder LUArm LFArm LHand",
    ),
    "auto-rig pro": (
        """
        root.x
          spine_01.x
            spine_02.x
              neck.x
                head.x
              shoulder.l
                arm_stretch.l
                  forearm_stretch.l
                    hand.l
              shoulder.r
                arm_stretch.r
                  forearm_stretch.r
                    hand.r
          thigh_stretch.l
            leg_stretch.l
              foot.l
                toes_01.l
          thigh_stretch.r
            leg_stretch.r
              foot.r
                toes_01.r
        """,
        "root.x spine_02.x neck.x head.x thigh_stretch.l leg_stretch.l foot.l toes_01.l "
        "shoulder.l arm_stretch.l forearm_stretch.l hand.l",
    ),
    "xsens bvh": (
        """
        Hips
          Chest
            Chest2
              Chest3
                Chest4
                  Neck
                    Head
                  RightCollar
                    RightShoulder
                      RightElbow
                        RightWrist
                  LeftCollar
                    LeftShoulder
                      LeftElbow
                        LeftWrist
          RightHip
            RightKnee
              RightAnkle
                RightToe
          LeftHip
            LeftKnee
              LeftAnkle
                LeftToe
        """,
        "Hips Chest4 Neck Head "
        "LeftHip LeftKnee LeftAnkle LeftToe LeftCollar LeftShoulder LeftElbow LeftWrist",
    ),
    "xsens mvn": (
        """
        Pelvis
          L5
            L3
              T12
                T8
                  Neck
                    Head
                  RightShoulder
                    RightUpperArm
                      RightForeArm
                        RightHand
                  LeftShoulder
                    LeftUpperArm
                      LeftForeArm
                        LeftHand
          RightUpperLeg
            RightLowerLeg
              RightFoot
                RightToe
          LeftUpperLeg
            LeftLowerLeg
              LeftFoot
                LeftToe
        """,
        "Pelvis T8 Neck Head LeftUpperLeg LeftLowerLeg LeftFoot LeftToe "
        "LeftShoulder LeftUpperArm LeftForeArm LeftHand",
    ),
    "rokoko": (
        """
        Hips
          Spine1
            Spine2
              Spine3
                Spine4
                  Neck
                    Head
                  LeftShoulder
                    LeftArm
                      LeftForeArm
                        LeftHand
                          LeftFinger1Metacarpal
                  RightShoulder
                    RightArm
                      RightForeArm
                        RightHand
                          RightFinger1Metacarpal
          LeftThigh
            LeftShin
              LeftFoot
                LeftToe
                  LeftToeTip
          RightThigh
            RightShin
              RightFoot
                RightToe
                  RightToeTip
        """,
        "Hips Spine4 Neck Head "
        "LeftThigh LeftShin LeftFoot LeftToe LeftShoulder LeftArm LeftForeArm LeftHand",
    ),
    "perception neuron": (
        """
        Hips
          RightUpLeg
            RightLeg
              RightFoot
          LeftUpLeg
            LeftLeg
              LeftFoot
          Spine
            Spine1
              Spine2
                Spine3
                  Neck
                    Head
                  RightShoulder
                    RightArm
                      RightForeArm
                        RightHand
                          RightHandThumb1
                          RightInHandIndex
                  LeftShoulder
                    LeftArm
                      LeftForeArm
                        LeftHand
                          LeftHandThumb1
                          LeftInHandIndex
        """,
        "Hips Spine3 Neck Head "
        "LeftUpLeg LeftLeg LeftFoot - LeftShoulder LeftArm LeftForeArm LeftHand",
    ),
    "unreal mannequin": (
        """
        root
          pelvis
            spine_01
              spine_02
                spine_03
                  clavicle_l
                    upperarm_l
                      lowerarm_l
                        hand_l
                          index_01_l
                        lowerarm_twist_01_l
                      upperarm_twist_01_l
                  clavicle_r
                    upperarm_r
                      lowerarm_r
                        hand_r
                          index_01_r
                        lowerarm_twist_01_r
                      upperarm_twist_01_r
                  neck_01
                    head
            thigh_l
              calf_l
                calf_twist_01_l
                foot_l
                  ball_l
              thigh_twist_01_l
            thigh_r
              calf_r
                calf_twist_01_r
                foot_r
                  ball_r
              thigh_twist_01_r
          ik_foot_root
            ik_foot_l
            ik_foot_r
          ik_hand_root
            ik_hand_gun
              ik_hand_l
              ik_hand_r
        """,
        "pelvis spine_03 neck_01 head "
        "thigh_l calf_l foot_l ball_l clavicle_l upperarm_l lowerarm_l hand_l",
    ),
    "smpl": (
        """
        Pelvis
          L_Hip
            L_Knee
              L_Ankle
                L_Foot
          R_Hip
            R_Knee
              R_Ankle
                R_Foot
          Spine1
            Spine2
              Spine3
                Neck
                  Head
                L_Collar
                  L_Shoulder
                    L_Elbow
                      L_Wrist
                        L_Hand
                R_Collar
                  R_Shoulder
                    R_Elbow
                      R_Wrist
                        R_Hand
        """,
        "Pelvis Spine3 Neck Head L_Hip L_Knee L_Ankle L_Foot L_Collar L_Shoulder L_Elbow L_Wrist",
    ),
    "smpl lower case": (
        """
        pelvis
          left_hip
            left_knee
              left_ankle
                left_foot
          right_hip
            right_knee
              right_ankle
                right_foot
          spine1
            spine2
              spine3
                neck
                  head
                left_collar
                  left_shoulder
                    left_elbow
                      left_wrist
                right_collar
                  right_shoulder
                    right_elbow
                      right_wrist
        """,
        "pelvis spine3 neck head left_hip left_knee left_ankle left_foot "
        "left_collar left_shoulder left_elbow left_wrist",
    ),
    # Old Biped files hang the thighs on the spine and the arms on the neck.
    "3ds max biped": (
        """
        Bip01
          Bip01 Pelvis
            Bip01 Spine
              Bip01 L Thigh
                Bip01 L Calf
                  Bip01 L Foot
                    Bip01 L Toe0
                      Bip01 L Toe0Nub
              Bip01 R Thigh
                Bip01 R Calf
                  Bip01 R Foot
                    Bip01 R Toe0
                      Bip01 R Toe0Nub
              Bip01 Spine1
                Bip01 Neck
                  Bip01 Head
                    Bip01 HeadNub
                  Bip01 L Clavicle
                    Bip01 L UpperArm
                      Bip01 L Forearm
                        Bip01 L Hand
                          Bip01 L Finger0
                  Bip01 R Clavicle
                    Bip01 R UpperArm
                      Bip01 R Forearm
                        Bip01 R Hand
                          Bip01 R Finger0
        """,
        "Pelvis Spine1 Neck Head L_Thigh L_Calf L_Foot L_Toe0 "
        "L_Clavicle L_UpperArm L_Forearm L_Hand",
    ),
    "blender rigify": (
        """
        spine
          spine.001
            spine.002
              spine.003
                spine.004
                  spine.005
                    spine.006
                      face
                shoulder.L
                  upper_arm.L
                    forearm.L
                      hand.L
                        palm.01.L
                shoulder.R
                  upper_arm.R
                    forearm.R
                      hand.R
                        palm.01.R
                breast.L
                breast.R
          pelvis.L
          pelvis.R
          thigh.L
            shin.L
              foot.L
                toe.L
                heel.02.L
          thigh.R
            shin.R
              foot.R
                toe.R
                heel.02.R
        """,
        "spine spine.003 - - thigh.L shin.L foot.L toe.L shoulder.L upper_arm.L forearm.L hand.L",
    ),
    # Rigify's deform bones are split along their length.
    "blender rigify deform": (
        """
        DEF-spine
          DEF-thigh.L
            DEF-thigh.L.001
              DEF-shin.L
                DEF-shin.L.001
                  DEF-foot.L
                    DEF-toe.L
          DEF-thigh.R
            DEF-thigh.R.001
              DEF-shin.R
                DEF-shin.R.001
                  DEF-foot.R
                    DEF-toe.R
          DEF-spine.001
            DEF-spine.002
              DEF-shoulder.L
                DEF-upper_arm.L
                  DEF-upper_arm.L.001
                    DEF-forearm.L
                      DEF-forearm.L.001
                        DEF-hand.L
              DEF-shoulder.R
                DEF-upper_arm.R
                  DEF-upper_arm.R.001
                    DEF-forearm.R
                      DEF-forearm.R.001
                        DEF-hand.R
        """,
        "DEF-spine DEF-spine.002 - - DEF-thigh.L DEF-shin.L DEF-foot.L DEF-toe.L "
        "DEF-shoulder.L DEF-upper_arm.L DEF-forearm.L DEF-hand.L",
    ),
    "fore foot": (
        """
        Hips
          Spine
            Spine1
              Neck
                Head
              LeftShoulder
                LeftArm
                  LeftForeArm
                    LeftHand
              RightShoulder
                RightArm
                  RightForeArm
                    RightHand
          LeftUpLeg
            LeftLeg
              LeftFoot
                LeftForeFoot
                  LeftToeBase
          RightUpLeg
            RightLeg
              RightFoot
                RightForeFoot
                  RightToeBase
        """,
        "Hips Spine1 Neck Head LeftUpLeg LeftLeg LeftFoot LeftToeBase "
        "LeftShoulder LeftArm LeftForeArm LeftHand",
    ),
}


def skeleton_of(tree: str) -> Skeleton:
    """A skeleton by indentation, every bone along x, so that the shape tells nothing."""
    lines = [line for line in tree.splitlines() if line.strip()]
    margin = len(lines[0]) - len(lines[0].lstrip())
    names: list[str] = []
    parents: list[int] = []
    above: list[int] = []
    for line in lines:
        depth = (len(line) - len(line.lstrip()) - margin) // 2
        del above[depth:]
        parents.append(above[-1] if above else -1)
        above.append(len(names))
        names.append(line.strip())
    offsets = np.zeros((len(names), 3))
    offsets[1:, 0] = 1.0
    return Skeleton(tuple(names), np.array(parents), offsets)


def unnamed_body(lateral: float = 1.0, forward: float = 1.0, names: bool = False) -> Skeleton:
    """A standing figure without telling names, facing +z or -z, with helpers at zero distance."""
    joints = [
        ("pelvis", -1, (0, 1, 0)),
        ("hip_a0", 0, (0, 0, 0)),
        ("hip_a", 1, (0.1, -0.05, 0)),
        ("knee_a", 2, (0, -0.45, 0)),
        ("ankle_a", 3, (0, -0.42, 0)),
        ("ball_a", 4, (0, -0.06, 0.15)),
        ("hip_b0", 0, (0, 0, 0)),
        ("hip_b", 6, (-0.1, -0.05, 0)),
        ("knee_b", 7, (0, -0.44, 0)),
        ("ankle_b", 8, (0, -0.43, 0)),
        ("ball_b", 9, (0, -0.06, 0.15)),
        ("back", 0, (0, 0.2, 0)),
        ("ribs", 11, (0, 0.25, 0)),
        ("throat", 12, (0, 0.15, 0)),
        ("top", 13, (0, 0.1, 0)),
        ("collar_a", 12, (0.02, 0.1, 0)),
        ("arm_a", 15, (0.16, 0, 0)),
        ("elbow_a", 16, (0.28, 0, 0)),
        ("wrist_a", 17, (0.25, 0, 0)),
        ("fingers_a", 18, (0.0, 0, 0)),
        ("nail_a", 19, (0.1, 0, 0)),
        ("collar_b", 12, (-0.02, 0.1, 0)),
        ("arm_b", 21, (-0.16, 0, 0)),
        ("elbow_b", 22, (-0.28, 0, 0)),
        ("wrist_b", 23, (-0.25, 0, 0)),
        ("fingers_b", 24, (0.0, 0, 0)),
        ("nail_b", 25, (-0.1, 0, 0)),
    ]
    offsets = np.array([offset for _, _, offset in joints]) * [lateral, 1.0, forward]
    called = [name if names else f"joint{i}" for i, (name, _, _) in enumerate(joints)]
    return Skeleton(tuple(called), np.array([parent for _, parent, _ in joints]), offsets)
